target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmin_12x70xbf16_fa3d6791e826f0e3(ptr addrspace(1) noalias readonly %input, ptr addrspace(1) noalias %values, ptr addrspace(1) noalias %indices) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = lshr i32 %v1, 3
  %v3 = and i32 %v1, 7
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
  %v27 = getelementptr i8, ptr addrspace(1) %v26, i64 16
  %v28 = load i16, ptr addrspace(1) %v27, align 2
  %v29 = zext i16 %v28 to i32
  %v30 = shl i32 %v29, 16
  %v31 = bitcast i32 %v30 to float
  %v32 = fcmp olt float %v31, %v20
  %v33 = select i1 %v32, float %v31, float %v20
  %v34 = select i1 %v32, i32 8, i32 %v21
  %v35 = shl i32 %v3, 1
  %v36 = add i32 %v9, %v35
  %v37 = zext i32 %v36 to i64
  %v38 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v8)
  %v39 = getelementptr i8, ptr addrspace(1) %v38, i64 %v37
  %v40 = getelementptr i8, ptr addrspace(1) %v39, i64 32
  %v41 = load i16, ptr addrspace(1) %v40, align 2
  %v42 = zext i16 %v41 to i32
  %v43 = shl i32 %v42, 16
  %v44 = bitcast i32 %v43 to float
  %v45 = fcmp olt float %v44, %v33
  %v46 = select i1 %v45, float %v44, float %v33
  %v47 = select i1 %v45, i32 16, i32 %v34
  %v48 = shl i32 %v3, 1
  %v49 = add i32 %v9, %v48
  %v50 = zext i32 %v49 to i64
  %v51 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v8)
  %v52 = getelementptr i8, ptr addrspace(1) %v51, i64 %v50
  %v53 = getelementptr i8, ptr addrspace(1) %v52, i64 48
  %v54 = load i16, ptr addrspace(1) %v53, align 2
  %v55 = zext i16 %v54 to i32
  %v56 = shl i32 %v55, 16
  %v57 = bitcast i32 %v56 to float
  %v58 = fcmp olt float %v57, %v46
  %v59 = select i1 %v58, float %v57, float %v46
  %v60 = select i1 %v58, i32 24, i32 %v47
  %v61 = shl i32 %v3, 1
  %v62 = add i32 %v9, %v61
  %v63 = zext i32 %v62 to i64
  %v64 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v8)
  %v65 = getelementptr i8, ptr addrspace(1) %v64, i64 %v63
  %v66 = getelementptr i8, ptr addrspace(1) %v65, i64 64
  %v67 = load i16, ptr addrspace(1) %v66, align 2
  %v68 = zext i16 %v67 to i32
  %v69 = shl i32 %v68, 16
  %v70 = bitcast i32 %v69 to float
  %v71 = fcmp olt float %v70, %v59
  %v72 = select i1 %v71, float %v70, float %v59
  %v73 = select i1 %v71, i32 32, i32 %v60
  %v74 = shl i32 %v3, 1
  %v75 = add i32 %v9, %v74
  %v76 = zext i32 %v75 to i64
  %v77 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v8)
  %v78 = getelementptr i8, ptr addrspace(1) %v77, i64 %v76
  %v79 = getelementptr i8, ptr addrspace(1) %v78, i64 80
  %v80 = load i16, ptr addrspace(1) %v79, align 2
  %v81 = zext i16 %v80 to i32
  %v82 = shl i32 %v81, 16
  %v83 = bitcast i32 %v82 to float
  %v84 = fcmp olt float %v83, %v72
  %v85 = select i1 %v84, float %v83, float %v72
  %v86 = select i1 %v84, i32 40, i32 %v73
  %v87 = shl i32 %v3, 1
  %v88 = add i32 %v9, %v87
  %v89 = zext i32 %v88 to i64
  %v90 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v8)
  %v91 = getelementptr i8, ptr addrspace(1) %v90, i64 %v89
  %v92 = getelementptr i8, ptr addrspace(1) %v91, i64 96
  %v93 = load i16, ptr addrspace(1) %v92, align 2
  %v94 = zext i16 %v93 to i32
  %v95 = shl i32 %v94, 16
  %v96 = bitcast i32 %v95 to float
  %v97 = fcmp olt float %v96, %v85
  %v98 = select i1 %v97, float %v96, float %v85
  %v99 = select i1 %v97, i32 48, i32 %v86
  %v100 = shl i32 %v3, 1
  %v101 = add i32 %v9, %v100
  %v102 = zext i32 %v101 to i64
  %v103 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v8)
  %v104 = getelementptr i8, ptr addrspace(1) %v103, i64 %v102
  %v105 = getelementptr i8, ptr addrspace(1) %v104, i64 112
  %v106 = load i16, ptr addrspace(1) %v105, align 2
  %v107 = zext i16 %v106 to i32
  %v108 = shl i32 %v107, 16
  %v109 = bitcast i32 %v108 to float
  %v110 = fcmp olt float %v109, %v98
  %v111 = select i1 %v110, float %v109, float %v98
  %v112 = select i1 %v110, i32 56, i32 %v99
  %v113 = add i32 %v3, 64
  %v114 = call i32 @llvm.umin.i32(i32 %v113, i32 69)
  %v115 = shl i32 %v114, 1
  %v116 = add i32 %v9, %v115
  %v117 = zext i32 %v116 to i64
  %v118 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v8)
  %v119 = getelementptr i8, ptr addrspace(1) %v118, i64 %v117
  %v120 = load i16, ptr addrspace(1) %v119, align 2
  %v121 = zext i16 %v120 to i32
  %v122 = shl i32 %v121, 16
  %v123 = bitcast i32 %v122 to float
  %v124 = sub i32 %v114, %v3
  %v125 = fcmp olt float %v123, %v111
  %v126 = select i1 %v125, float %v123, float %v111
  %v127 = select i1 %v125, i32 %v124, i32 %v112
  %v128 = add i32 %v127, %v3
  %v129 = bitcast float %v126 to i32
  %v130 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v129, i32 353, i32 15, i32 15, i1 true)
  %v131 = bitcast i32 %v130 to float
  %v132 = call nnan float @llvm.minnum.f32(float %v126, float %v131)
  %v133 = bitcast float %v132 to i32
  %v134 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v133, i32 354, i32 15, i32 15, i1 true)
  %v135 = bitcast i32 %v134 to float
  %v136 = call nnan float @llvm.minnum.f32(float %v132, float %v135)
  %v137 = bitcast float %v136 to i32
  %v138 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v137, i32 356, i32 15, i32 15, i1 true)
  %v139 = bitcast i32 %v138 to float
  %v140 = call nnan float @llvm.minnum.f32(float %v136, float %v139)
  %v141 = fcmp oeq float %v126, %v140
  %v142 = select i1 %v141, i32 %v128, i32 2147483647
  %v143 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v142, i32 353, i32 15, i32 15, i1 true)
  %v144 = call i32 @llvm.smin.i32(i32 %v142, i32 %v143)
  %v145 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v144, i32 354, i32 15, i32 15, i1 true)
  %v146 = call i32 @llvm.smin.i32(i32 %v144, i32 %v145)
  %v147 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v146, i32 356, i32 15, i32 15, i1 true)
  %v148 = call i32 @llvm.smin.i32(i32 %v146, i32 %v147)
  %v149 = icmp eq i32 %v128, %v148
  %v150 = and i1 %v141, %v149
  br i1 %v150, label %store1, label %stored2
store1:
  %v151 = bitcast float %v126 to i32
  %v152 = lshr i32 %v151, 16
  %v153 = trunc i32 %v152 to i16
  %v154 = zext i32 %v5 to i64
  %v155 = shl i64 %v154, 1
  %v156 = getelementptr i8, ptr addrspace(1) %values, i64 %v155
  %v157 = zext i32 %v2 to i64
  %v158 = shl i64 %v157, 1
  %v159 = getelementptr i8, ptr addrspace(1) %v156, i64 %v158
  store i16 %v153, ptr addrspace(1) %v159, align 2
  %v160 = zext i32 %v5 to i64
  %v161 = shl i64 %v160, 2
  %v162 = getelementptr i8, ptr addrspace(1) %indices, i64 %v161
  %v163 = zext i32 %v2 to i64
  %v164 = shl i64 %v163, 2
  %v165 = getelementptr i8, ptr addrspace(1) %v162, i64 %v164
  store i32 %v128, ptr addrspace(1) %v165, align 4
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

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="32,32" "target-features"="+wavefrontsize32" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 32, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
