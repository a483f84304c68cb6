target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmin_12x70xbf16_2d81260775ffb091(ptr addrspace(1) noalias readonly %input, ptr addrspace(1) noalias %values, ptr addrspace(1) noalias %indices) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = lshr i32 %v1, 4
  %v3 = and i32 %v1, 15
  %v4 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v5 = shl i32 %v4, 2
  %v6 = zext i32 %v5 to i64
  %v7 = mul i64 %v6, 140
  %v8 = getelementptr i8, ptr addrspace(1) %input, i64 %v7
  %v9 = mul i32 %v2, 140
  %v10 = shl i32 %v3, 1
  %v11 = add i32 %v9, %v10
  %v12 = zext i32 %v11 to i64
  %v13 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v8)
  %v14 = getelementptr i8, ptr addrspace(1) %v13, i64 %v12
  %v15 = load i16, ptr addrspace(1) %v14, align 2
  %v16 = zext i16 %v15 to i32
  %v17 = shl i32 %v16, 16
  %v18 = bitcast i32 %v17 to float
  %v19 = fcmp olt float %v18, 0x7FF0000000000000
  %v20 = select i1 %v19, float %v18, float 0x7FF0000000000000
  %v21 = select i1 %v19, i32 0, i32 0
  %v22 = shl i32 %v3, 1
  %v23 = add i32 %v9, %v22
  %v24 = zext i32 %v23 to i64
  %v25 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v8)
  %v26 = getelementptr i8, ptr addrspace(1) %v25, i64 %v24
  %v27 = getelementptr i8, ptr addrspace(1) %v26, i64 32
  %v28 = load i16, ptr addrspace(1) %v27, align 2
  %v29 = zext i16 %v28 to i32
  %v30 = shl i32 %v29, 16
  %v31 = bitcast i32 %v30 to float
  %v32 = fcmp olt float %v31, %v20
  %v33 = select i1 %v32, float %v31, float %v20
  %v34 = select i1 %v32, i32 16, i32 %v21
  %v35 = shl i32 %v3, 1
  %v36 = add i32 %v9, %v35
  %v37 = zext i32 %v36 to i64
  %v38 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v8)
  %v39 = getelementptr i8, ptr addrspace(1) %v38, i64 %v37
  %v40 = getelementptr i8, ptr addrspace(1) %v39, i64 64
  %v41 = load i16, ptr addrspace(1) %v40, align 2
  %v42 = zext i16 %v41 to i32
  %v43 = shl i32 %v42, 16
  %v44 = bitcast i32 %v43 to float
  %v45 = fcmp olt float %v44, %v33
  %v46 = select i1 %v45, float %v44, float %v33
  %v47 = select i1 %v45, i32 32, i32 %v34
  %v48 = shl i32 %v3, 1
  %v49 = add i32 %v9, %v48
  %v50 = zext i32 %v49 to i64
  %v51 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v8)
  %v52 = getelementptr i8, ptr addrspace(1) %v51, i64 %v50
  %v53 = getelementptr i8, ptr addrspace(1) %v52, i64 96
  %v54 = load i16, ptr addrspace(1) %v53, align 2
  %v55 = zext i16 %v54 to i32
  %v56 = shl i32 %v55, 16
  %v57 = bitcast i32 %v56 to float
  %v58 = fcmp olt float %v57, %v46
  %v59 = select i1 %v58, float %v57, float %v46
  %v60 = select i1 %v58, i32 48, i32 %v47
  %v61 = add i32 %v3, 64
  %v62 = call i32 @llvm.umin.i32(i32 %v61, i32 69)
  %v63 = shl i32 %v62, 1
  %v64 = add i32 %v9, %v63
  %v65 = zext i32 %v64 to i64
  %v66 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v8)
  %v67 = getelementptr i8, ptr addrspace(1) %v66, i64 %v65
  %v68 = load i16, ptr addrspace(1) %v67, align 2
  %v69 = zext i16 %v68 to i32
  %v70 = shl i32 %v69, 16
  %v71 = bitcast i32 %v70 to float
  %v72 = sub i32 %v62, %v3
  %v73 = fcmp olt float %v71, %v59
  %v74 = select i1 %v73, float %v71, float %v59
  %v75 = select i1 %v73, i32 %v72, i32 %v60
  %v76 = add i32 %v75, %v3
  %v77 = bitcast float %v74 to i32
  %v78 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v77, i32 177, i32 15, i32 15, i1 true)
  %v79 = bitcast i32 %v78 to float
  %v80 = call nnan float @llvm.minnum.f32(float %v74, float %v79)
  %v81 = bitcast float %v80 to i32
  %v82 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v81, i32 78, i32 15, i32 15, i1 true)
  %v83 = bitcast i32 %v82 to float
  %v84 = call nnan float @llvm.minnum.f32(float %v80, float %v83)
  %v85 = bitcast float %v84 to i32
  %v86 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v85, i32 296, i32 15, i32 15, i1 true)
  %v87 = bitcast i32 %v86 to float
  %v88 = call nnan float @llvm.minnum.f32(float %v84, float %v87)
  %v89 = bitcast float %v88 to i32
  %v90 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v89, i32 321, i32 15, i32 15, i1 true)
  %v91 = bitcast i32 %v90 to float
  %v92 = call nnan float @llvm.minnum.f32(float %v88, float %v91)
  %v93 = fcmp oeq float %v74, %v92
  %v94 = select i1 %v93, i32 %v76, i32 2147483647
  %v95 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v94, i32 177, i32 15, i32 15, i1 true)
  %v96 = call i32 @llvm.smin.i32(i32 %v94, i32 %v95)
  %v97 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v96, i32 78, i32 15, i32 15, i1 true)
  %v98 = call i32 @llvm.smin.i32(i32 %v96, i32 %v97)
  %v99 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v98, i32 296, i32 15, i32 15, i1 true)
  %v100 = call i32 @llvm.smin.i32(i32 %v98, i32 %v99)
  %v101 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v100, i32 321, i32 15, i32 15, i1 true)
  %v102 = call i32 @llvm.smin.i32(i32 %v100, i32 %v101)
  %v103 = icmp eq i32 %v76, %v102
  %v104 = and i1 %v93, %v103
  br i1 %v104, label %store1, label %stored2
store1:
  %v105 = bitcast float %v74 to i32
  %v106 = lshr i32 %v105, 16
  %v107 = trunc i32 %v106 to i16
  %v108 = zext i32 %v5 to i64
  %v109 = shl i64 %v108, 1
  %v110 = getelementptr i8, ptr addrspace(1) %values, i64 %v109
  %v111 = zext i32 %v2 to i64
  %v112 = shl i64 %v111, 1
  %v113 = getelementptr i8, ptr addrspace(1) %v110, i64 %v112
  store i16 %v107, ptr addrspace(1) %v113, align 2
  %v114 = zext i32 %v5 to i64
  %v115 = shl i64 %v114, 2
  %v116 = getelementptr i8, ptr addrspace(1) %indices, i64 %v115
  %v117 = zext i32 %v2 to i64
  %v118 = shl i64 %v117, 2
  %v119 = getelementptr i8, ptr addrspace(1) %v116, i64 %v118
  store i32 %v76, ptr addrspace(1) %v119, align 4
  br label %stored2
stored2:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare float @llvm.minnum.f32(float, float)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 64, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
