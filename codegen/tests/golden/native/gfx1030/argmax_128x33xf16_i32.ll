target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmax_128x33xf16_bbe8fbe74fb0dec9(ptr addrspace(1) noalias readonly %input, ptr addrspace(1) noalias %values, ptr addrspace(1) noalias %indices) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = and i32 %v1, 31
  %v3 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v4 = shl i32 %v3, 6
  %v5 = mul i32 %v4, 66
  %v6 = zext i32 %v5 to i64
  %v7 = mul i32 %v1, 66
  %v8 = getelementptr i8, ptr addrspace(1) %input, i64 %v6
  br label %step1
step1:
  %v9 = phi i32 [ 0, %entry ], [ %v41, %step1 ]
  %v10 = phi ptr addrspace(1) [ %v8, %entry ], [ %v44, %step1 ]
  %v11 = phi half [ 0xHFC00, %entry ], [ %v31, %step1 ]
  %v12 = phi i32 [ 0, %entry ], [ %v35, %step1 ]
  %v13 = phi half [ 0xHFC00, %entry ], [ %v32, %step1 ]
  %v14 = phi i32 [ 0, %entry ], [ %v36, %step1 ]
  %v15 = phi half [ 0xHFC00, %entry ], [ %v33, %step1 ]
  %v16 = phi i32 [ 0, %entry ], [ %v37, %step1 ]
  %v17 = phi half [ 0xHFC00, %entry ], [ %v34, %step1 ]
  %v18 = phi i32 [ 0, %entry ], [ %v38, %step1 ]
  %v19 = zext i32 %v7 to i64
  %v20 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v10)
  %v21 = getelementptr i8, ptr addrspace(1) %v20, i64 %v19
  %v22 = load <4 x half>, ptr addrspace(1) %v21, align 2
  %v23 = extractelement <4 x half> %v22, i32 0
  %v24 = extractelement <4 x half> %v22, i32 1
  %v25 = extractelement <4 x half> %v22, i32 2
  %v26 = extractelement <4 x half> %v22, i32 3
  %v27 = fcmp ogt half %v23, %v11
  %v28 = fcmp ogt half %v24, %v13
  %v29 = fcmp ogt half %v25, %v15
  %v30 = fcmp ogt half %v26, %v17
  %v31 = select i1 %v27, half %v23, half %v11
  %v32 = select i1 %v28, half %v24, half %v13
  %v33 = select i1 %v29, half %v25, half %v15
  %v34 = select i1 %v30, half %v26, half %v17
  %v35 = select i1 %v27, i32 %v9, i32 %v12
  %v36 = select i1 %v28, i32 %v9, i32 %v14
  %v37 = select i1 %v29, i32 %v9, i32 %v16
  %v38 = select i1 %v30, i32 %v9, i32 %v18
  %v39 = sub i32 29, %v9
  %v40 = call i32 @llvm.umin.i32(i32 %v39, i32 4)
  %v41 = add i32 %v9, %v40
  %v42 = zext i32 %v40 to i64
  %v43 = shl i64 %v42, 1
  %v44 = getelementptr i8, ptr addrspace(1) %v10, i64 %v43
  %v45 = icmp ult i32 %v9, 29
  br i1 %v45, label %step1, label %reduced2
reduced2:
  %v46 = add i32 %v36, 1
  %v47 = add i32 %v37, 2
  %v48 = add i32 %v38, 3
  %v49 = fpext half %v31 to float
  %v50 = fpext half %v32 to float
  %v51 = fcmp ogt float %v50, %v49
  %v52 = fcmp oeq float %v50, %v49
  %v53 = icmp ult i32 %v46, %v35
  %v54 = and i1 %v52, %v53
  %v55 = or i1 %v51, %v54
  %v56 = select i1 %v55, half %v32, half %v31
  %v57 = select i1 %v55, i32 %v46, i32 %v35
  %v58 = fpext half %v33 to float
  %v59 = fpext half %v34 to float
  %v60 = fcmp ogt float %v59, %v58
  %v61 = fcmp oeq float %v59, %v58
  %v62 = icmp ult i32 %v48, %v47
  %v63 = and i1 %v61, %v62
  %v64 = or i1 %v60, %v63
  %v65 = select i1 %v64, half %v34, half %v33
  %v66 = select i1 %v64, i32 %v48, i32 %v47
  %v67 = fpext half %v56 to float
  %v68 = fpext half %v65 to float
  %v69 = fcmp ogt float %v68, %v67
  %v70 = fcmp oeq float %v68, %v67
  %v71 = icmp ult i32 %v66, %v57
  %v72 = and i1 %v70, %v71
  %v73 = or i1 %v69, %v72
  %v74 = select i1 %v73, half %v65, half %v56
  %v75 = select i1 %v73, i32 %v66, i32 %v57
  %v76 = fpext half %v74 to float
  %v77 = fpext half 0xHFC00 to float
  %v78 = fcmp ogt float %v76, %v77
  %v79 = add i32 %v4, %v1
  %v80 = shl i32 %v79, 1
  %v81 = zext i32 %v80 to i64
  %v82 = getelementptr i8, ptr addrspace(1) %values, i64 %v81
  store half %v74, ptr addrspace(1) %v82, align 2
  %v83 = add i32 %v4, %v1
  %v84 = shl i32 %v83, 2
  %v85 = zext i32 %v84 to i64
  %v86 = getelementptr i8, ptr addrspace(1) %indices, i64 %v85
  store i32 %v75, ptr addrspace(1) %v86, align 4
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.umin.i32(i32, i32)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" "target-features"="+wavefrontsize32" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 64, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
