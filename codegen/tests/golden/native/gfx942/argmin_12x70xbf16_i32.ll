target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmin_12x70xbf16_2_e3fc25b60425af1a(ptr addrspace(1) inreg noalias readonly %input, ptr addrspace(1) inreg noalias %values, ptr addrspace(1) inreg noalias %indices) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = lshr i32 %v1, 4
  %v3 = and i32 %v1, 15
  %v4 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v5 = shl i32 %v4, 2
  %v6 = add i32 %v3, 64
  %v7 = call i32 @llvm.umin.i32(i32 %v6, i32 69)
  %v8 = mul i32 %v5, 140
  %v9 = zext i32 %v8 to i64
  %v10 = mul i32 %v2, 140
  %v11 = shl i32 %v3, 1
  %v12 = shl i32 %v7, 1
  %v13 = getelementptr i8, ptr addrspace(1) %input, i64 %v9
  %v14 = add i32 %v10, %v11
  %v15 = add i32 %v10, %v12
  %v16 = sub i32 %v7, %v3
  %v17 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v13)
  %v18 = zext i32 %v14 to i64
  %v19 = getelementptr i8, ptr addrspace(1) %v17, i64 %v18
  %v20 = load i16, ptr addrspace(1) %v19, align 2
  %v21 = getelementptr i8, ptr addrspace(1) %v19, i64 32
  %v22 = load i16, ptr addrspace(1) %v21, align 2
  %v23 = getelementptr i8, ptr addrspace(1) %v19, i64 64
  %v24 = load i16, ptr addrspace(1) %v23, align 2
  %v25 = getelementptr i8, ptr addrspace(1) %v19, i64 96
  %v26 = load i16, ptr addrspace(1) %v25, align 2
  %v27 = zext i32 %v15 to i64
  %v28 = getelementptr i8, ptr addrspace(1) %v17, i64 %v27
  %v29 = load i16, ptr addrspace(1) %v28, align 2
  %v30 = zext i16 %v20 to i32
  %v31 = shl i32 %v30, 16
  %v32 = bitcast i32 %v31 to float
  %v33 = fcmp olt float %v32, 0x7FF0000000000000
  %v34 = select i1 %v33, float %v32, float 0x7FF0000000000000
  %v35 = select i1 %v33, i32 0, i32 0
  %v36 = zext i16 %v22 to i32
  %v37 = shl i32 %v36, 16
  %v38 = bitcast i32 %v37 to float
  %v39 = fcmp olt float %v38, %v34
  %v40 = select i1 %v39, float %v38, float %v34
  %v41 = select i1 %v39, i32 16, i32 %v35
  %v42 = zext i16 %v24 to i32
  %v43 = shl i32 %v42, 16
  %v44 = bitcast i32 %v43 to float
  %v45 = fcmp olt float %v44, %v40
  %v46 = select i1 %v45, float %v44, float %v40
  %v47 = select i1 %v45, i32 32, i32 %v41
  %v48 = zext i16 %v26 to i32
  %v49 = shl i32 %v48, 16
  %v50 = bitcast i32 %v49 to float
  %v51 = fcmp olt float %v50, %v46
  %v52 = select i1 %v51, float %v50, float %v46
  %v53 = select i1 %v51, i32 48, i32 %v47
  %v54 = zext i16 %v29 to i32
  %v55 = shl i32 %v54, 16
  %v56 = bitcast i32 %v55 to float
  %v57 = fcmp olt float %v56, %v52
  %v58 = select i1 %v57, float %v56, float %v52
  %v59 = select i1 %v57, i32 %v16, i32 %v53
  %v60 = add i32 %v59, %v3
  %v61 = bitcast float %v58 to i32
  %v62 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v61, i32 177, i32 15, i32 15, i1 true)
  %v63 = bitcast i32 %v62 to float
  %v64 = call nnan float @llvm.minnum.f32(float %v58, float %v63)
  %v65 = bitcast float %v64 to i32
  %v66 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v65, i32 78, i32 15, i32 15, i1 true)
  %v67 = bitcast i32 %v66 to float
  %v68 = call nnan float @llvm.minnum.f32(float %v64, float %v67)
  %v69 = bitcast float %v68 to i32
  %v70 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v69, i32 296, i32 15, i32 15, i1 true)
  %v71 = bitcast i32 %v70 to float
  %v72 = call nnan float @llvm.minnum.f32(float %v68, float %v71)
  %v73 = bitcast float %v72 to i32
  %v74 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v73, i32 321, i32 15, i32 15, i1 true)
  %v75 = bitcast i32 %v74 to float
  %v76 = call nnan float @llvm.minnum.f32(float %v72, float %v75)
  %v77 = fcmp oeq float %v58, %v76
  %v78 = select i1 %v77, i32 %v60, i32 -1
  %v79 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v78, i32 177, i32 15, i32 15, i1 true)
  %v80 = call i32 @llvm.umin.i32(i32 %v78, i32 %v79)
  %v81 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v80, i32 78, i32 15, i32 15, i1 true)
  %v82 = call i32 @llvm.umin.i32(i32 %v80, i32 %v81)
  %v83 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v82, i32 296, i32 15, i32 15, i1 true)
  %v84 = call i32 @llvm.umin.i32(i32 %v82, i32 %v83)
  %v85 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v84, i32 321, i32 15, i32 15, i1 true)
  %v86 = call i32 @llvm.umin.i32(i32 %v84, i32 %v85)
  %v87 = icmp eq i32 %v78, %v86
  br i1 %v87, label %then1, label %after2
then1:
  %v88 = fcmp olt float %v58, 0x7FF0000000000000
  %v89 = bitcast float %v58 to i32
  %v90 = lshr i32 %v89, 16
  %v91 = trunc i32 %v90 to i16
  %v92 = add i32 %v5, %v2
  %v93 = shl i32 %v92, 1
  %v94 = zext i32 %v93 to i64
  %v95 = getelementptr i8, ptr addrspace(1) %values, i64 %v94
  store i16 %v91, ptr addrspace(1) %v95, align 2
  %v96 = add i32 %v5, %v2
  %v97 = shl i32 %v96, 2
  %v98 = zext i32 %v97 to i64
  %v99 = getelementptr i8, ptr addrspace(1) %indices, i64 %v98
  store i32 %v60, ptr addrspace(1) %v99, align 4
  br label %after2
after2:
  ret void
}

declare float @llvm.minnum.f32(float, float)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.umin.i32(i32, i32)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 64, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
