target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmax_128x33xf16_b5003951963d66ab(ptr addrspace(1) noalias readonly %input, ptr addrspace(1) noalias %values, ptr addrspace(1) noalias %indices) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = and i32 %v1, 31
  %v3 = lshr i32 %v1, 5
  %v4 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v3)
  %v5 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v6 = shl i32 %v5, 6
  %v7 = shl i32 %v4, 5
  %v8 = zext i32 %v6 to i64
  %v9 = mul i64 %v8, 66
  %v10 = getelementptr i8, ptr addrspace(1) %input, i64 %v9
  %v11 = zext i32 %v7 to i64
  %v12 = mul i64 %v11, 66
  %v13 = mul i32 %v2, 66
  %v14 = getelementptr i8, ptr addrspace(1) %v10, i64 %v12
  br label %step1
step1:
  %v15 = phi i32 [ 0, %entry ], [ %v47, %step1 ]
  %v16 = phi ptr addrspace(1) [ %v14, %entry ], [ %v50, %step1 ]
  %v17 = phi half [ 0xHFC00, %entry ], [ %v37, %step1 ]
  %v18 = phi i32 [ 0, %entry ], [ %v41, %step1 ]
  %v19 = phi half [ 0xHFC00, %entry ], [ %v38, %step1 ]
  %v20 = phi i32 [ 0, %entry ], [ %v42, %step1 ]
  %v21 = phi half [ 0xHFC00, %entry ], [ %v39, %step1 ]
  %v22 = phi i32 [ 0, %entry ], [ %v43, %step1 ]
  %v23 = phi half [ 0xHFC00, %entry ], [ %v40, %step1 ]
  %v24 = phi i32 [ 0, %entry ], [ %v44, %step1 ]
  %v25 = zext i32 %v13 to i64
  %v26 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v16)
  %v27 = getelementptr i8, ptr addrspace(1) %v26, i64 %v25
  %v28 = load <4 x half>, ptr addrspace(1) %v27, align 2
  %v29 = extractelement <4 x half> %v28, i32 0
  %v30 = extractelement <4 x half> %v28, i32 1
  %v31 = extractelement <4 x half> %v28, i32 2
  %v32 = extractelement <4 x half> %v28, i32 3
  %v33 = fcmp ogt half %v29, %v17
  %v34 = fcmp ogt half %v30, %v19
  %v35 = fcmp ogt half %v31, %v21
  %v36 = fcmp ogt half %v32, %v23
  %v37 = select i1 %v33, half %v29, half %v17
  %v38 = select i1 %v34, half %v30, half %v19
  %v39 = select i1 %v35, half %v31, half %v21
  %v40 = select i1 %v36, half %v32, half %v23
  %v41 = select i1 %v33, i32 %v15, i32 %v18
  %v42 = select i1 %v34, i32 %v15, i32 %v20
  %v43 = select i1 %v35, i32 %v15, i32 %v22
  %v44 = select i1 %v36, i32 %v15, i32 %v24
  %v45 = sub i32 29, %v15
  %v46 = call i32 @llvm.umin.i32(i32 %v45, i32 4)
  %v47 = add i32 %v15, %v46
  %v48 = zext i32 %v46 to i64
  %v49 = shl i64 %v48, 1
  %v50 = getelementptr i8, ptr addrspace(1) %v16, i64 %v49
  %v51 = icmp ult i32 %v15, 29
  br i1 %v51, label %step1, label %reduced2
reduced2:
  %v52 = fpext half %v37 to float
  %v53 = fpext half %v38 to float
  %v54 = add i32 %v42, 1
  %v55 = fpext half %v39 to float
  %v56 = add i32 %v43, 2
  %v57 = fpext half %v40 to float
  %v58 = add i32 %v44, 3
  %v59 = fcmp ogt float %v53, %v52
  %v60 = fcmp oeq float %v53, %v52
  %v61 = icmp slt i32 %v54, %v41
  %v62 = and i1 %v60, %v61
  %v63 = or i1 %v59, %v62
  %v64 = select i1 %v63, float %v53, float %v52
  %v65 = select i1 %v63, i32 %v54, i32 %v41
  %v66 = fcmp ogt float %v57, %v55
  %v67 = fcmp oeq float %v57, %v55
  %v68 = icmp slt i32 %v58, %v56
  %v69 = and i1 %v67, %v68
  %v70 = or i1 %v66, %v69
  %v71 = select i1 %v70, float %v57, float %v55
  %v72 = select i1 %v70, i32 %v58, i32 %v56
  %v73 = fcmp ogt float %v71, %v64
  %v74 = fcmp oeq float %v71, %v64
  %v75 = icmp slt i32 %v72, %v65
  %v76 = and i1 %v74, %v75
  %v77 = or i1 %v73, %v76
  %v78 = select i1 %v77, float %v71, float %v64
  %v79 = select i1 %v77, i32 %v72, i32 %v65
  %v80 = add i32 %v7, %v2
  %v81 = fptrunc float %v78 to half
  %v82 = zext i32 %v6 to i64
  %v83 = shl i64 %v82, 1
  %v84 = getelementptr i8, ptr addrspace(1) %values, i64 %v83
  %v85 = zext i32 %v80 to i64
  %v86 = shl i64 %v85, 1
  %v87 = getelementptr i8, ptr addrspace(1) %v84, i64 %v86
  store half %v81, ptr addrspace(1) %v87, align 2
  %v88 = zext i32 %v6 to i64
  %v89 = shl i64 %v88, 2
  %v90 = getelementptr i8, ptr addrspace(1) %indices, i64 %v89
  %v91 = zext i32 %v80 to i64
  %v92 = shl i64 %v91, 2
  %v93 = getelementptr i8, ptr addrspace(1) %v90, i64 %v92
  store i32 %v79, ptr addrspace(1) %v93, align 4
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.umin.i32(i32, i32)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" "target-features"="+wavefrontsize32" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 64, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
