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
  %v8 = mul i32 %v6, 66
  %v9 = mul i32 %v7, 66
  %v10 = add i32 %v8, %v9
  %v11 = zext i32 %v10 to i64
  %v12 = mul i32 %v2, 66
  %v13 = getelementptr i8, ptr addrspace(1) %input, i64 %v11
  br label %step1
step1:
  %v14 = phi i32 [ 0, %entry ], [ %v46, %step1 ]
  %v15 = phi ptr addrspace(1) [ %v13, %entry ], [ %v49, %step1 ]
  %v16 = phi half [ 0xHFC00, %entry ], [ %v36, %step1 ]
  %v17 = phi i32 [ 0, %entry ], [ %v40, %step1 ]
  %v18 = phi half [ 0xHFC00, %entry ], [ %v37, %step1 ]
  %v19 = phi i32 [ 0, %entry ], [ %v41, %step1 ]
  %v20 = phi half [ 0xHFC00, %entry ], [ %v38, %step1 ]
  %v21 = phi i32 [ 0, %entry ], [ %v42, %step1 ]
  %v22 = phi half [ 0xHFC00, %entry ], [ %v39, %step1 ]
  %v23 = phi i32 [ 0, %entry ], [ %v43, %step1 ]
  %v24 = zext i32 %v12 to i64
  %v25 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v15)
  %v26 = getelementptr i8, ptr addrspace(1) %v25, i64 %v24
  %v27 = load <4 x half>, ptr addrspace(1) %v26, align 2
  %v28 = extractelement <4 x half> %v27, i32 0
  %v29 = extractelement <4 x half> %v27, i32 1
  %v30 = extractelement <4 x half> %v27, i32 2
  %v31 = extractelement <4 x half> %v27, i32 3
  %v32 = fcmp ogt half %v28, %v16
  %v33 = fcmp ogt half %v29, %v18
  %v34 = fcmp ogt half %v30, %v20
  %v35 = fcmp ogt half %v31, %v22
  %v36 = select i1 %v32, half %v28, half %v16
  %v37 = select i1 %v33, half %v29, half %v18
  %v38 = select i1 %v34, half %v30, half %v20
  %v39 = select i1 %v35, half %v31, half %v22
  %v40 = select i1 %v32, i32 %v14, i32 %v17
  %v41 = select i1 %v33, i32 %v14, i32 %v19
  %v42 = select i1 %v34, i32 %v14, i32 %v21
  %v43 = select i1 %v35, i32 %v14, i32 %v23
  %v44 = sub i32 29, %v14
  %v45 = call i32 @llvm.umin.i32(i32 %v44, i32 4)
  %v46 = add i32 %v14, %v45
  %v47 = zext i32 %v45 to i64
  %v48 = shl i64 %v47, 1
  %v49 = getelementptr i8, ptr addrspace(1) %v15, i64 %v48
  %v50 = icmp ult i32 %v14, 29
  br i1 %v50, label %step1, label %reduced2
reduced2:
  %v51 = fpext half %v36 to float
  %v52 = fpext half %v37 to float
  %v53 = add i32 %v41, 1
  %v54 = fpext half %v38 to float
  %v55 = add i32 %v42, 2
  %v56 = fpext half %v39 to float
  %v57 = add i32 %v43, 3
  %v58 = fcmp ogt float %v52, %v51
  %v59 = fcmp oeq float %v52, %v51
  %v60 = icmp slt i32 %v53, %v40
  %v61 = and i1 %v59, %v60
  %v62 = or i1 %v58, %v61
  %v63 = select i1 %v62, float %v52, float %v51
  %v64 = select i1 %v62, i32 %v53, i32 %v40
  %v65 = fcmp ogt float %v56, %v54
  %v66 = fcmp oeq float %v56, %v54
  %v67 = icmp slt i32 %v57, %v55
  %v68 = and i1 %v66, %v67
  %v69 = or i1 %v65, %v68
  %v70 = select i1 %v69, float %v56, float %v54
  %v71 = select i1 %v69, i32 %v57, i32 %v55
  %v72 = fcmp ogt float %v70, %v63
  %v73 = fcmp oeq float %v70, %v63
  %v74 = icmp slt i32 %v71, %v64
  %v75 = and i1 %v73, %v74
  %v76 = or i1 %v72, %v75
  %v77 = select i1 %v76, float %v70, float %v63
  %v78 = select i1 %v76, i32 %v71, i32 %v64
  %v79 = add i32 %v7, %v2
  %v80 = zext i32 %v6 to i64
  %v81 = zext i32 %v79 to i64
  %v82 = fptrunc float %v77 to half
  %v83 = shl i64 %v80, 1
  %v84 = getelementptr i8, ptr addrspace(1) %values, i64 %v83
  %v85 = shl i64 %v81, 1
  %v86 = getelementptr i8, ptr addrspace(1) %v84, i64 %v85
  store half %v82, ptr addrspace(1) %v86, align 2
  %v87 = shl i64 %v80, 2
  %v88 = getelementptr i8, ptr addrspace(1) %indices, i64 %v87
  %v89 = shl i64 %v81, 2
  %v90 = getelementptr i8, ptr addrspace(1) %v88, i64 %v89
  store i32 %v78, ptr addrspace(1) %v90, align 4
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
