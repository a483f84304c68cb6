target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @sum_64x257xi16_2_8616fb4b0645c937(ptr addrspace(1) inreg noalias readonly %input, ptr addrspace(1) inreg noalias %values) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = and i32 %v1, 63
  %v3 = lshr i32 %v1, 6
  %v4 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v3)
  %v5 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v6 = shl i32 %v5, 3
  %v7 = shl i32 %v4, 2
  %v8 = mul i32 %v6, 514
  %v9 = mul i32 %v7, 514
  %v10 = add i32 %v8, %v9
  %v11 = zext i32 %v10 to i64
  %v12 = shl i32 %v2, 1
  %v13 = getelementptr i8, ptr addrspace(1) %input, i64 %v11
  br label %loop1
loop1:
  %v14 = phi i32 [ 0, %entry ], [ %v38, %loop1 ]
  %v15 = phi ptr addrspace(1) [ %v13, %entry ], [ %v39, %loop1 ]
  %v16 = phi i32 [ 0, %entry ], [ %v34, %loop1 ]
  %v17 = phi i32 [ 0, %entry ], [ %v35, %loop1 ]
  %v18 = phi i32 [ 0, %entry ], [ %v36, %loop1 ]
  %v19 = phi i32 [ 0, %entry ], [ %v37, %loop1 ]
  %v20 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v15)
  %v21 = zext i32 %v12 to i64
  %v22 = getelementptr i8, ptr addrspace(1) %v20, i64 %v21
  %v23 = load i16, ptr addrspace(1) %v22, align 2
  %v24 = getelementptr i8, ptr addrspace(1) %v22, i64 514
  %v25 = load i16, ptr addrspace(1) %v24, align 2
  %v26 = getelementptr i8, ptr addrspace(1) %v22, i64 1028
  %v27 = load i16, ptr addrspace(1) %v26, align 2
  %v28 = getelementptr i8, ptr addrspace(1) %v22, i64 1542
  %v29 = load i16, ptr addrspace(1) %v28, align 2
  %v30 = sext i16 %v23 to i32
  %v31 = sext i16 %v25 to i32
  %v32 = sext i16 %v27 to i32
  %v33 = sext i16 %v29 to i32
  %v34 = add i32 %v16, %v30
  %v35 = add i32 %v17, %v31
  %v36 = add i32 %v18, %v32
  %v37 = add i32 %v19, %v33
  %v38 = add i32 %v14, 64
  %v39 = getelementptr i8, ptr addrspace(1) %v15, i64 128
  %v40 = icmp ult i32 %v14, 192
  br i1 %v40, label %loop1, label %done2
done2:
  %v41 = getelementptr i8, ptr addrspace(1) %v13, i64 386
  %v42 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v41)
  %v43 = zext i32 %v12 to i64
  %v44 = getelementptr i8, ptr addrspace(1) %v42, i64 %v43
  %v45 = load i16, ptr addrspace(1) %v44, align 2
  %v46 = getelementptr i8, ptr addrspace(1) %v44, i64 514
  %v47 = load i16, ptr addrspace(1) %v46, align 2
  %v48 = getelementptr i8, ptr addrspace(1) %v44, i64 1028
  %v49 = load i16, ptr addrspace(1) %v48, align 2
  %v50 = getelementptr i8, ptr addrspace(1) %v44, i64 1542
  %v51 = load i16, ptr addrspace(1) %v50, align 2
  %v52 = icmp uge i32 %v2, 63
  %v53 = select i1 %v52, i16 %v45, i16 0
  %v54 = icmp uge i32 %v2, 63
  %v55 = select i1 %v54, i16 %v47, i16 0
  %v56 = icmp uge i32 %v2, 63
  %v57 = select i1 %v56, i16 %v49, i16 0
  %v58 = icmp uge i32 %v2, 63
  %v59 = select i1 %v58, i16 %v51, i16 0
  %v60 = sext i16 %v53 to i32
  %v61 = sext i16 %v55 to i32
  %v62 = sext i16 %v57 to i32
  %v63 = sext i16 %v59 to i32
  %v64 = add i32 %v34, %v60
  %v65 = add i32 %v35, %v61
  %v66 = add i32 %v36, %v62
  %v67 = add i32 %v37, %v63
  %v68 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v64, i32 177, i32 15, i32 15, i1 true)
  %v69 = add i32 %v64, %v68
  %v70 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v69, i32 78, i32 15, i32 15, i1 true)
  %v71 = add i32 %v69, %v70
  %v72 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v71, i32 296, i32 15, i32 15, i1 true)
  %v73 = add i32 %v71, %v72
  %v74 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v73, i32 321, i32 15, i32 15, i1 true)
  %v75 = add i32 %v73, %v74
  %v76 = call i32 @llvm.amdgcn.ds.swizzle(i32 %v75, i32 16415)
  %v77 = add i32 %v75, %v76
  %v78 = xor i32 %v2, 32
  %v79 = shl i32 %v78, 2
  %v80 = call i32 @llvm.amdgcn.ds.bpermute(i32 %v79, i32 %v77)
  %v81 = add i32 %v77, %v80
  %v82 = and i32 %v2, 63
  %v83 = icmp eq i32 %v82, 0
  %v84 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v65, i32 177, i32 15, i32 15, i1 true)
  %v85 = add i32 %v65, %v84
  %v86 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v85, i32 78, i32 15, i32 15, i1 true)
  %v87 = add i32 %v85, %v86
  %v88 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v87, i32 296, i32 15, i32 15, i1 true)
  %v89 = add i32 %v87, %v88
  %v90 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v89, i32 321, i32 15, i32 15, i1 true)
  %v91 = add i32 %v89, %v90
  %v92 = call i32 @llvm.amdgcn.ds.swizzle(i32 %v91, i32 16415)
  %v93 = add i32 %v91, %v92
  %v94 = xor i32 %v2, 32
  %v95 = shl i32 %v94, 2
  %v96 = call i32 @llvm.amdgcn.ds.bpermute(i32 %v95, i32 %v93)
  %v97 = add i32 %v93, %v96
  %v98 = and i32 %v2, 63
  %v99 = icmp eq i32 %v98, 0
  %v100 = add i32 %v7, 1
  %v101 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v66, i32 177, i32 15, i32 15, i1 true)
  %v102 = add i32 %v66, %v101
  %v103 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v102, i32 78, i32 15, i32 15, i1 true)
  %v104 = add i32 %v102, %v103
  %v105 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v104, i32 296, i32 15, i32 15, i1 true)
  %v106 = add i32 %v104, %v105
  %v107 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v106, i32 321, i32 15, i32 15, i1 true)
  %v108 = add i32 %v106, %v107
  %v109 = call i32 @llvm.amdgcn.ds.swizzle(i32 %v108, i32 16415)
  %v110 = add i32 %v108, %v109
  %v111 = xor i32 %v2, 32
  %v112 = shl i32 %v111, 2
  %v113 = call i32 @llvm.amdgcn.ds.bpermute(i32 %v112, i32 %v110)
  %v114 = add i32 %v110, %v113
  %v115 = and i32 %v2, 63
  %v116 = icmp eq i32 %v115, 0
  %v117 = add i32 %v7, 2
  %v118 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v67, i32 177, i32 15, i32 15, i1 true)
  %v119 = add i32 %v67, %v118
  %v120 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v119, i32 78, i32 15, i32 15, i1 true)
  %v121 = add i32 %v119, %v120
  %v122 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v121, i32 296, i32 15, i32 15, i1 true)
  %v123 = add i32 %v121, %v122
  %v124 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v123, i32 321, i32 15, i32 15, i1 true)
  %v125 = add i32 %v123, %v124
  %v126 = call i32 @llvm.amdgcn.ds.swizzle(i32 %v125, i32 16415)
  %v127 = add i32 %v125, %v126
  %v128 = xor i32 %v2, 32
  %v129 = shl i32 %v128, 2
  %v130 = call i32 @llvm.amdgcn.ds.bpermute(i32 %v129, i32 %v127)
  %v131 = add i32 %v127, %v130
  %v132 = and i32 %v2, 63
  %v133 = icmp eq i32 %v132, 0
  %v134 = add i32 %v7, 3
  br i1 %v83, label %then3, label %after4
then3:
  %v135 = add i32 5, %v81
  %v136 = add i32 %v6, %v7
  %v137 = shl i32 %v136, 2
  %v138 = zext i32 %v137 to i64
  %v139 = getelementptr i8, ptr addrspace(1) %values, i64 %v138
  store i32 %v135, ptr addrspace(1) %v139, align 4
  br label %after4
after4:
  br i1 %v99, label %then5, label %after6
then5:
  %v140 = add i32 5, %v97
  %v141 = add i32 %v6, %v100
  %v142 = shl i32 %v141, 2
  %v143 = zext i32 %v142 to i64
  %v144 = getelementptr i8, ptr addrspace(1) %values, i64 %v143
  store i32 %v140, ptr addrspace(1) %v144, align 4
  br label %after6
after6:
  br i1 %v116, label %then7, label %after8
then7:
  %v145 = add i32 5, %v114
  %v146 = add i32 %v6, %v117
  %v147 = shl i32 %v146, 2
  %v148 = zext i32 %v147 to i64
  %v149 = getelementptr i8, ptr addrspace(1) %values, i64 %v148
  store i32 %v145, ptr addrspace(1) %v149, align 4
  br label %after8
after8:
  br i1 %v133, label %then9, label %after10
then9:
  %v150 = add i32 5, %v131
  %v151 = add i32 %v6, %v134
  %v152 = shl i32 %v151, 2
  %v153 = zext i32 %v152 to i64
  %v154 = getelementptr i8, ptr addrspace(1) %values, i64 %v153
  store i32 %v150, ptr addrspace(1) %v154, align 4
  br label %after10
after10:
  ret void
}

declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="128,128" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 128, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
