target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmax_128x33xf16_2721d0bc38cfdb6c(ptr addrspace(1) inreg noalias readonly %input, ptr addrspace(1) inreg noalias %values, ptr addrspace(1) inreg noalias %indices) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = and i32 %v1, 63
  %v3 = lshr i32 %v1, 6
  %v4 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v3)
  %v5 = shl i32 %v4, 6
  %v6 = mul i32 %v5, 66
  %v7 = zext i32 %v6 to i64
  %v8 = mul i32 %v2, 66
  %v9 = getelementptr i8, ptr addrspace(1) %input, i64 %v7
  br label %step1
step1:
  %v10 = phi i32 [ 0, %entry ], [ %v42, %step1 ]
  %v11 = phi ptr addrspace(1) [ %v9, %entry ], [ %v45, %step1 ]
  %v12 = phi half [ 0xHFC00, %entry ], [ %v32, %step1 ]
  %v13 = phi i32 [ 0, %entry ], [ %v36, %step1 ]
  %v14 = phi half [ 0xHFC00, %entry ], [ %v33, %step1 ]
  %v15 = phi i32 [ 0, %entry ], [ %v37, %step1 ]
  %v16 = phi half [ 0xHFC00, %entry ], [ %v34, %step1 ]
  %v17 = phi i32 [ 0, %entry ], [ %v38, %step1 ]
  %v18 = phi half [ 0xHFC00, %entry ], [ %v35, %step1 ]
  %v19 = phi i32 [ 0, %entry ], [ %v39, %step1 ]
  %v20 = zext i32 %v8 to i64
  %v21 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v11)
  %v22 = getelementptr i8, ptr addrspace(1) %v21, i64 %v20
  %v23 = load <4 x half>, ptr addrspace(1) %v22, align 2
  %v24 = extractelement <4 x half> %v23, i32 0
  %v25 = extractelement <4 x half> %v23, i32 1
  %v26 = extractelement <4 x half> %v23, i32 2
  %v27 = extractelement <4 x half> %v23, i32 3
  %v28 = fcmp ogt half %v24, %v12
  %v29 = fcmp ogt half %v25, %v14
  %v30 = fcmp ogt half %v26, %v16
  %v31 = fcmp ogt half %v27, %v18
  %v32 = select i1 %v28, half %v24, half %v12
  %v33 = select i1 %v29, half %v25, half %v14
  %v34 = select i1 %v30, half %v26, half %v16
  %v35 = select i1 %v31, half %v27, half %v18
  %v36 = select i1 %v28, i32 %v10, i32 %v13
  %v37 = select i1 %v29, i32 %v10, i32 %v15
  %v38 = select i1 %v30, i32 %v10, i32 %v17
  %v39 = select i1 %v31, i32 %v10, i32 %v19
  %v40 = sub i32 29, %v10
  %v41 = call i32 @llvm.umin.i32(i32 %v40, i32 4)
  %v42 = add i32 %v10, %v41
  %v43 = zext i32 %v41 to i64
  %v44 = shl i64 %v43, 1
  %v45 = getelementptr i8, ptr addrspace(1) %v11, i64 %v44
  %v46 = icmp ult i32 %v10, 29
  br i1 %v46, label %step1, label %reduced2
reduced2:
  %v47 = add i32 %v37, 1
  %v48 = add i32 %v38, 2
  %v49 = add i32 %v39, 3
  %v50 = fpext half %v32 to float
  %v51 = fpext half %v33 to float
  %v52 = fcmp ogt float %v51, %v50
  %v53 = fcmp oeq float %v51, %v50
  %v54 = icmp ult i32 %v47, %v36
  %v55 = and i1 %v53, %v54
  %v56 = or i1 %v52, %v55
  %v57 = select i1 %v56, half %v33, half %v32
  %v58 = select i1 %v56, i32 %v47, i32 %v36
  %v59 = fpext half %v34 to float
  %v60 = fpext half %v35 to float
  %v61 = fcmp ogt float %v60, %v59
  %v62 = fcmp oeq float %v60, %v59
  %v63 = icmp ult i32 %v49, %v48
  %v64 = and i1 %v62, %v63
  %v65 = or i1 %v61, %v64
  %v66 = select i1 %v65, half %v35, half %v34
  %v67 = select i1 %v65, i32 %v49, i32 %v48
  %v68 = fpext half %v57 to float
  %v69 = fpext half %v66 to float
  %v70 = fcmp ogt float %v69, %v68
  %v71 = fcmp oeq float %v69, %v68
  %v72 = icmp ult i32 %v67, %v58
  %v73 = and i1 %v71, %v72
  %v74 = or i1 %v70, %v73
  %v75 = select i1 %v74, half %v66, half %v57
  %v76 = select i1 %v74, i32 %v67, i32 %v58
  %v77 = add i32 %v5, %v2
  %v78 = fpext half %v75 to float
  %v79 = fpext half 0xHFC00 to float
  %v80 = fcmp ogt float %v78, %v79
  %v81 = shl i32 %v77, 1
  %v82 = zext i32 %v81 to i64
  %v83 = getelementptr i8, ptr addrspace(1) %values, i64 %v82
  store half %v75, ptr addrspace(1) %v83, align 2
  %v84 = shl i32 %v77, 2
  %v85 = zext i32 %v84 to i64
  %v86 = getelementptr i8, ptr addrspace(1) %indices, i64 %v85
  store i32 %v76, ptr addrspace(1) %v86, align 4
  ret void
}

declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.umin.i32(i32, i32)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="128,128" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 128, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
