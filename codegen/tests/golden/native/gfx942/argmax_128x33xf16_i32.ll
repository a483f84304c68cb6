target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmax_128x33xf16_2_b845fc33271d0a75(ptr addrspace(1) inreg noalias readonly %input, ptr addrspace(1) inreg noalias %values, ptr addrspace(1) inreg noalias %indices) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = and i32 %v1, 63
  %v3 = mul i32 %v1, 66
  br label %loop1
loop1:
  %v4 = phi i32 [ 0, %entry ], [ %v36, %loop1 ]
  %v5 = phi ptr addrspace(1) [ %input, %entry ], [ %v39, %loop1 ]
  %v6 = phi half [ 0xHFC00, %entry ], [ %v26, %loop1 ]
  %v7 = phi i32 [ 0, %entry ], [ %v30, %loop1 ]
  %v8 = phi half [ 0xHFC00, %entry ], [ %v27, %loop1 ]
  %v9 = phi i32 [ 0, %entry ], [ %v31, %loop1 ]
  %v10 = phi half [ 0xHFC00, %entry ], [ %v28, %loop1 ]
  %v11 = phi i32 [ 0, %entry ], [ %v32, %loop1 ]
  %v12 = phi half [ 0xHFC00, %entry ], [ %v29, %loop1 ]
  %v13 = phi i32 [ 0, %entry ], [ %v33, %loop1 ]
  %v14 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v5)
  %v15 = zext i32 %v3 to i64
  %v16 = getelementptr i8, ptr addrspace(1) %v14, i64 %v15
  %v17 = load <4 x half>, ptr addrspace(1) %v16, align 2
  %v18 = extractelement <4 x half> %v17, i32 0
  %v19 = extractelement <4 x half> %v17, i32 1
  %v20 = extractelement <4 x half> %v17, i32 2
  %v21 = extractelement <4 x half> %v17, i32 3
  %v22 = fcmp ogt half %v18, %v6
  %v23 = fcmp ogt half %v19, %v8
  %v24 = fcmp ogt half %v20, %v10
  %v25 = fcmp ogt half %v21, %v12
  %v26 = select i1 %v22, half %v18, half %v6
  %v27 = select i1 %v23, half %v19, half %v8
  %v28 = select i1 %v24, half %v20, half %v10
  %v29 = select i1 %v25, half %v21, half %v12
  %v30 = select i1 %v22, i32 %v4, i32 %v7
  %v31 = select i1 %v23, i32 %v4, i32 %v9
  %v32 = select i1 %v24, i32 %v4, i32 %v11
  %v33 = select i1 %v25, i32 %v4, i32 %v13
  %v34 = sub i32 29, %v4
  %v35 = call i32 @llvm.umin.i32(i32 %v34, i32 4)
  %v36 = add i32 %v4, %v35
  %v37 = zext i32 %v35 to i64
  %v38 = shl i64 %v37, 1
  %v39 = getelementptr i8, ptr addrspace(1) %v5, i64 %v38
  %v40 = icmp ult i32 %v4, 29
  br i1 %v40, label %loop1, label %done2
done2:
  %v41 = add i32 %v31, 1
  %v42 = add i32 %v32, 2
  %v43 = add i32 %v33, 3
  %v44 = fpext half %v26 to float
  %v45 = fpext half %v27 to float
  %v46 = fcmp ogt float %v45, %v44
  %v47 = fcmp oeq float %v45, %v44
  %v48 = icmp ult i32 %v41, %v30
  %v49 = and i1 %v47, %v48
  %v50 = or i1 %v46, %v49
  %v51 = select i1 %v50, half %v27, half %v26
  %v52 = select i1 %v50, i32 %v41, i32 %v30
  %v53 = fpext half %v28 to float
  %v54 = fpext half %v29 to float
  %v55 = fcmp ogt float %v54, %v53
  %v56 = fcmp oeq float %v54, %v53
  %v57 = icmp ult i32 %v43, %v42
  %v58 = and i1 %v56, %v57
  %v59 = or i1 %v55, %v58
  %v60 = select i1 %v59, half %v29, half %v28
  %v61 = select i1 %v59, i32 %v43, i32 %v42
  %v62 = fpext half %v51 to float
  %v63 = fpext half %v60 to float
  %v64 = fcmp ogt float %v63, %v62
  %v65 = fcmp oeq float %v63, %v62
  %v66 = icmp ult i32 %v61, %v52
  %v67 = and i1 %v65, %v66
  %v68 = or i1 %v64, %v67
  %v69 = select i1 %v68, half %v60, half %v51
  %v70 = select i1 %v68, i32 %v61, i32 %v52
  %v71 = fpext half %v69 to float
  %v72 = fpext half 0xHFC00 to float
  %v73 = fcmp ogt float %v71, %v72
  %v74 = shl i32 %v1, 1
  %v75 = zext i32 %v74 to i64
  %v76 = getelementptr i8, ptr addrspace(1) %values, i64 %v75
  store half %v69, ptr addrspace(1) %v76, align 2
  %v77 = shl i32 %v1, 2
  %v78 = zext i32 %v77 to i64
  %v79 = getelementptr i8, ptr addrspace(1) %indices, i64 %v78
  store i32 %v70, ptr addrspace(1) %v79, align 4
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.umin.i32(i32, i32)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="128,128" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 128, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
