target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmin_12x70xbf16_e3749490f3fa6512(ptr addrspace(1) noalias readonly %input, ptr addrspace(1) noalias %values, ptr addrspace(1) noalias %indices) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = lshr i32 %v1, 3
  %v3 = and i32 %v1, 7
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
  %v17 = zext i32 %v14 to i64
  %v18 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v13)
  %v19 = getelementptr i8, ptr addrspace(1) %v18, i64 %v17
  %v20 = load i16, ptr addrspace(1) %v19, align 2
  %v21 = getelementptr i8, ptr addrspace(1) %v19, i64 16
  %v22 = load i16, ptr addrspace(1) %v21, align 2
  %v23 = getelementptr i8, ptr addrspace(1) %v19, i64 32
  %v24 = load i16, ptr addrspace(1) %v23, align 2
  %v25 = getelementptr i8, ptr addrspace(1) %v19, i64 48
  %v26 = load i16, ptr addrspace(1) %v25, align 2
  %v27 = getelementptr i8, ptr addrspace(1) %v19, i64 64
  %v28 = load i16, ptr addrspace(1) %v27, align 2
  %v29 = getelementptr i8, ptr addrspace(1) %v19, i64 80
  %v30 = load i16, ptr addrspace(1) %v29, align 2
  %v31 = getelementptr i8, ptr addrspace(1) %v19, i64 96
  %v32 = load i16, ptr addrspace(1) %v31, align 2
  %v33 = getelementptr i8, ptr addrspace(1) %v19, i64 112
  %v34 = load i16, ptr addrspace(1) %v33, align 2
  %v35 = zext i32 %v15 to i64
  %v36 = getelementptr i8, ptr addrspace(1) %v18, i64 %v35
  %v37 = load i16, ptr addrspace(1) %v36, align 2
  %v38 = zext i16 %v20 to i32
  %v39 = shl i32 %v38, 16
  %v40 = bitcast i32 %v39 to float
  %v41 = fcmp olt float %v40, 0x7FF0000000000000
  %v42 = select i1 %v41, float %v40, float 0x7FF0000000000000
  %v43 = select i1 %v41, i32 0, i32 0
  %v44 = zext i16 %v22 to i32
  %v45 = shl i32 %v44, 16
  %v46 = bitcast i32 %v45 to float
  %v47 = fcmp olt float %v46, %v42
  %v48 = select i1 %v47, float %v46, float %v42
  %v49 = select i1 %v47, i32 8, i32 %v43
  %v50 = zext i16 %v24 to i32
  %v51 = shl i32 %v50, 16
  %v52 = bitcast i32 %v51 to float
  %v53 = fcmp olt float %v52, %v48
  %v54 = select i1 %v53, float %v52, float %v48
  %v55 = select i1 %v53, i32 16, i32 %v49
  %v56 = zext i16 %v26 to i32
  %v57 = shl i32 %v56, 16
  %v58 = bitcast i32 %v57 to float
  %v59 = fcmp olt float %v58, %v54
  %v60 = select i1 %v59, float %v58, float %v54
  %v61 = select i1 %v59, i32 24, i32 %v55
  %v62 = zext i16 %v28 to i32
  %v63 = shl i32 %v62, 16
  %v64 = bitcast i32 %v63 to float
  %v65 = fcmp olt float %v64, %v60
  %v66 = select i1 %v65, float %v64, float %v60
  %v67 = select i1 %v65, i32 32, i32 %v61
  %v68 = zext i16 %v30 to i32
  %v69 = shl i32 %v68, 16
  %v70 = bitcast i32 %v69 to float
  %v71 = fcmp olt float %v70, %v66
  %v72 = select i1 %v71, float %v70, float %v66
  %v73 = select i1 %v71, i32 40, i32 %v67
  %v74 = zext i16 %v32 to i32
  %v75 = shl i32 %v74, 16
  %v76 = bitcast i32 %v75 to float
  %v77 = fcmp olt float %v76, %v72
  %v78 = select i1 %v77, float %v76, float %v72
  %v79 = select i1 %v77, i32 48, i32 %v73
  %v80 = zext i16 %v34 to i32
  %v81 = shl i32 %v80, 16
  %v82 = bitcast i32 %v81 to float
  %v83 = fcmp olt float %v82, %v78
  %v84 = select i1 %v83, float %v82, float %v78
  %v85 = select i1 %v83, i32 56, i32 %v79
  %v86 = zext i16 %v37 to i32
  %v87 = shl i32 %v86, 16
  %v88 = bitcast i32 %v87 to float
  %v89 = fcmp olt float %v88, %v84
  %v90 = select i1 %v89, float %v88, float %v84
  %v91 = select i1 %v89, i32 %v16, i32 %v85
  %v92 = add i32 %v91, %v3
  %v93 = bitcast float %v90 to i32
  %v94 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v93, i32 353, i32 15, i32 15, i1 true)
  %v95 = bitcast i32 %v94 to float
  %v96 = call nnan float @llvm.minnum.f32(float %v90, float %v95)
  %v97 = bitcast float %v96 to i32
  %v98 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v97, i32 354, i32 15, i32 15, i1 true)
  %v99 = bitcast i32 %v98 to float
  %v100 = call nnan float @llvm.minnum.f32(float %v96, float %v99)
  %v101 = bitcast float %v100 to i32
  %v102 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v101, i32 356, i32 15, i32 15, i1 true)
  %v103 = bitcast i32 %v102 to float
  %v104 = call nnan float @llvm.minnum.f32(float %v100, float %v103)
  %v105 = fcmp oeq float %v90, %v104
  %v106 = select i1 %v105, i32 %v92, i32 -1
  %v107 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v106, i32 353, i32 15, i32 15, i1 true)
  %v108 = call i32 @llvm.umin.i32(i32 %v106, i32 %v107)
  %v109 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v108, i32 354, i32 15, i32 15, i1 true)
  %v110 = call i32 @llvm.umin.i32(i32 %v108, i32 %v109)
  %v111 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v110, i32 356, i32 15, i32 15, i1 true)
  %v112 = call i32 @llvm.umin.i32(i32 %v110, i32 %v111)
  %v113 = icmp eq i32 %v106, %v112
  br i1 %v113, label %guarded1, label %after2
guarded1:
  %v114 = fcmp olt float %v90, 0x7FF0000000000000
  %v115 = bitcast float %v90 to i32
  %v116 = lshr i32 %v115, 16
  %v117 = trunc i32 %v116 to i16
  %v118 = add i32 %v5, %v2
  %v119 = shl i32 %v118, 1
  %v120 = zext i32 %v119 to i64
  %v121 = getelementptr i8, ptr addrspace(1) %values, i64 %v120
  store i16 %v117, ptr addrspace(1) %v121, align 2
  %v122 = add i32 %v5, %v2
  %v123 = shl i32 %v122, 2
  %v124 = zext i32 %v123 to i64
  %v125 = getelementptr i8, ptr addrspace(1) %indices, i64 %v124
  store i32 %v92, ptr addrspace(1) %v125, align 4
  br label %after2
after2:
  ret void
}

declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare float @llvm.minnum.f32(float, float)
declare i32 @llvm.umin.i32(i32, i32)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="32,32" "target-features"="+wavefrontsize32" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 32, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
