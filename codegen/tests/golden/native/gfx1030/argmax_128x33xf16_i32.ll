target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmax_128x33xf16_bbe8fbe74fb0dec9(ptr addrspace(1) noalias readonly %input, ptr addrspace(1) noalias %values, ptr addrspace(1) noalias %indices) #0 !reqd_work_group_size !0 {
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
  %v51 = add i32 %v41, 1
  %v52 = add i32 %v42, 2
  %v53 = add i32 %v43, 3
  %v54 = fpext half %v36 to float
  %v55 = fpext half %v37 to float
  %v56 = fcmp ogt float %v55, %v54
  %v57 = fcmp oeq float %v55, %v54
  %v58 = icmp ult i32 %v51, %v40
  %v59 = and i1 %v57, %v58
  %v60 = or i1 %v56, %v59
  %v61 = select i1 %v60, half %v37, half %v36
  %v62 = select i1 %v60, i32 %v51, i32 %v40
  %v63 = fpext half %v38 to float
  %v64 = fpext half %v39 to float
  %v65 = fcmp ogt float %v64, %v63
  %v66 = fcmp oeq float %v64, %v63
  %v67 = icmp ult i32 %v53, %v52
  %v68 = and i1 %v66, %v67
  %v69 = or i1 %v65, %v68
  %v70 = select i1 %v69, half %v39, half %v38
  %v71 = select i1 %v69, i32 %v53, i32 %v52
  %v72 = fpext half %v61 to float
  %v73 = fpext half %v70 to float
  %v74 = fcmp ogt float %v73, %v72
  %v75 = fcmp oeq float %v73, %v72
  %v76 = icmp ult i32 %v71, %v62
  %v77 = and i1 %v75, %v76
  %v78 = or i1 %v74, %v77
  %v79 = select i1 %v78, half %v70, half %v61
  %v80 = select i1 %v78, i32 %v71, i32 %v62
  %v81 = add i32 %v7, %v2
  %v82 = fpext half %v79 to float
  %v83 = fpext half 0xHFC00 to float
  %v84 = fcmp ogt float %v82, %v83
  %v85 = add i32 %v6, %v81
  %v86 = shl i32 %v85, 1
  %v87 = zext i32 %v86 to i64
  %v88 = getelementptr i8, ptr addrspace(1) %values, i64 %v87
  store half %v79, ptr addrspace(1) %v88, align 2
  %v89 = add i32 %v6, %v81
  %v90 = shl i32 %v89, 2
  %v91 = zext i32 %v90 to i64
  %v92 = getelementptr i8, ptr addrspace(1) %indices, i64 %v91
  store i32 %v80, ptr addrspace(1) %v92, align 4
  ret void
}

declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.umin.i32(i32, i32)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" "target-features"="+wavefrontsize32" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 64, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
