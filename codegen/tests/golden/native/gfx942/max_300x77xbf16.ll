target triple = "amdgcn-amd-amdhsa"

@partials_max_300x77xbf16_2_6ddaa9479a200405 = internal addrspace(3) global [64 x i8] poison, align 16

define protected amdgpu_kernel void @max_300x77xbf16_2_6ddaa9479a200405(ptr addrspace(1) inreg noalias readonly %input, ptr addrspace(1) inreg noalias %values) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = and i32 %v1, 63
  %v3 = lshr i32 %v1, 6
  %v4 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v3)
  %v5 = and i32 %v4, 3
  %v6 = lshr i32 %v4, 2
  %v7 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v8 = shl i32 %v7, 3
  %v9 = call i32 @llvm.umin.i32(i32 %v8, i32 292)
  %v10 = sub i32 %v8, %v9
  %v11 = shl i32 %v5, 1
  %v12 = shl i32 %v6, 6
  %v13 = add i32 %v12, %v2
  %v14 = call i32 @llvm.umin.i32(i32 %v13, i32 76)
  %v15 = mul i32 %v9, 154
  %v16 = mul i32 %v11, 154
  %v17 = add i32 %v15, %v16
  %v18 = zext i32 %v17 to i64
  %v19 = shl i32 %v14, 1
  %v20 = getelementptr i8, ptr addrspace(1) %input, i64 %v18
  %v21 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v20)
  %v22 = zext i32 %v19 to i64
  %v23 = getelementptr i8, ptr addrspace(1) %v21, i64 %v22
  %v24 = load i16, ptr addrspace(1) %v23, align 2
  %v25 = getelementptr i8, ptr addrspace(1) %v23, i64 154
  %v26 = load i16, ptr addrspace(1) %v25, align 2
  %v27 = zext i16 %v24 to i32
  %v28 = shl i32 %v27, 16
  %v29 = bitcast i32 %v28 to float
  %v30 = zext i16 %v26 to i32
  %v31 = shl i32 %v30, 16
  %v32 = bitcast i32 %v31 to float
  %v33 = call float @llvm.maximum.f32(float 0xFFF0000000000000, float %v29)
  %v34 = call float @llvm.maximum.f32(float 0xFFF0000000000000, float %v32)
  %v35 = bitcast float %v33 to i32
  %v36 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v35, i32 177, i32 15, i32 15, i1 true)
  %v37 = bitcast i32 %v36 to float
  %v38 = call float @llvm.maximum.f32(float %v33, float %v37)
  %v39 = bitcast float %v38 to i32
  %v40 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v39, i32 78, i32 15, i32 15, i1 true)
  %v41 = bitcast i32 %v40 to float
  %v42 = call float @llvm.maximum.f32(float %v38, float %v41)
  %v43 = bitcast float %v42 to i32
  %v44 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v43, i32 296, i32 15, i32 15, i1 true)
  %v45 = bitcast i32 %v44 to float
  %v46 = call float @llvm.maximum.f32(float %v42, float %v45)
  %v47 = bitcast float %v46 to i32
  %v48 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v47, i32 321, i32 15, i32 15, i1 true)
  %v49 = bitcast i32 %v48 to float
  %v50 = call float @llvm.maximum.f32(float %v46, float %v49)
  %v51 = bitcast float %v50 to i32
  %v52 = call i32 @llvm.amdgcn.ds.swizzle(i32 %v51, i32 16415)
  %v53 = bitcast i32 %v52 to float
  %v54 = call float @llvm.maximum.f32(float %v50, float %v53)
  %v55 = bitcast float %v54 to i32
  %v56 = xor i32 %v2, 32
  %v57 = shl i32 %v56, 2
  %v58 = call i32 @llvm.amdgcn.ds.bpermute(i32 %v57, i32 %v55)
  %v59 = bitcast i32 %v58 to float
  %v60 = call float @llvm.maximum.f32(float %v54, float %v59)
  %v61 = and i32 %v2, 63
  %v62 = icmp eq i32 %v61, 0
  %v63 = bitcast float %v34 to i32
  %v64 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v63, i32 177, i32 15, i32 15, i1 true)
  %v65 = bitcast i32 %v64 to float
  %v66 = call float @llvm.maximum.f32(float %v34, float %v65)
  %v67 = bitcast float %v66 to i32
  %v68 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v67, i32 78, i32 15, i32 15, i1 true)
  %v69 = bitcast i32 %v68 to float
  %v70 = call float @llvm.maximum.f32(float %v66, float %v69)
  %v71 = bitcast float %v70 to i32
  %v72 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v71, i32 296, i32 15, i32 15, i1 true)
  %v73 = bitcast i32 %v72 to float
  %v74 = call float @llvm.maximum.f32(float %v70, float %v73)
  %v75 = bitcast float %v74 to i32
  %v76 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v75, i32 321, i32 15, i32 15, i1 true)
  %v77 = bitcast i32 %v76 to float
  %v78 = call float @llvm.maximum.f32(float %v74, float %v77)
  %v79 = bitcast float %v78 to i32
  %v80 = call i32 @llvm.amdgcn.ds.swizzle(i32 %v79, i32 16415)
  %v81 = bitcast i32 %v80 to float
  %v82 = call float @llvm.maximum.f32(float %v78, float %v81)
  %v83 = bitcast float %v82 to i32
  %v84 = xor i32 %v2, 32
  %v85 = shl i32 %v84, 2
  %v86 = call i32 @llvm.amdgcn.ds.bpermute(i32 %v85, i32 %v83)
  %v87 = bitcast i32 %v86 to float
  %v88 = call float @llvm.maximum.f32(float %v82, float %v87)
  %v89 = and i32 %v2, 63
  %v90 = icmp eq i32 %v89, 0
  %v91 = add i32 %v11, 1
  %v92 = lshr i32 %v1, 6
  %v93 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v92)
  %v94 = lshr i32 %v93, 2
  br i1 %v62, label %then1, label %after2
then1:
  %v95 = shl i32 %v11, 1
  %v96 = add i32 %v95, %v94
  %v97 = getelementptr [4 x i8], ptr addrspace(3) @partials_max_300x77xbf16_2_6ddaa9479a200405, i32 %v96
  %v98 = bitcast float %v60 to i32
  %v99 = insertelement <1 x i32> poison, i32 %v98, i32 0
  store <1 x i32> %v99, ptr addrspace(3) %v97, align 4
  br label %after2
after2:
  br i1 %v90, label %then3, label %after4
then3:
  %v100 = shl i32 %v91, 1
  %v101 = add i32 %v100, %v94
  %v102 = getelementptr [4 x i8], ptr addrspace(3) @partials_max_300x77xbf16_2_6ddaa9479a200405, i32 %v101
  %v103 = bitcast float %v88 to i32
  %v104 = insertelement <1 x i32> poison, i32 %v103, i32 0
  store <1 x i32> %v104, ptr addrspace(3) %v102, align 4
  br label %after4
after4:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v105 = icmp ult i32 %v1, 16
  br i1 %v105, label %then5, label %after6
then5:
  %v106 = getelementptr [4 x i8], ptr addrspace(3) @partials_max_300x77xbf16_2_6ddaa9479a200405, i32 %v1
  %v107 = load <1 x i32>, ptr addrspace(3) %v106, align 4
  %v108 = extractelement <1 x i32> %v107, i32 0
  %v109 = bitcast i32 %v108 to float
  %v110 = bitcast float %v109 to i32
  %v111 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v110, i32 177, i32 15, i32 15, i1 true)
  %v112 = bitcast i32 %v111 to float
  %v113 = call float @llvm.maximum.f32(float %v109, float %v112)
  %v114 = and i32 %v1, 1
  %v115 = lshr i32 %v1, 1
  %v116 = icmp eq i32 %v114, 0
  %v117 = icmp uge i32 %v115, %v10
  %v118 = and i1 %v116, %v117
  br i1 %v118, label %then7, label %after8
then7:
  %v119 = bitcast float %v113 to i32
  %v120 = lshr i32 %v119, 16
  %v121 = trunc i32 %v120 to i16
  %v122 = add i32 %v9, %v115
  %v123 = shl i32 %v122, 1
  %v124 = zext i32 %v123 to i64
  %v125 = getelementptr i8, ptr addrspace(1) %values, i64 %v124
  store i16 %v121, ptr addrspace(1) %v125, align 2
  br label %after8
after8:
  br label %after6
after6:
  ret void
}

declare float @llvm.maximum.f32(float, float)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.umin.i32(i32, i32)
declare void @llvm.amdgcn.s.barrier()

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="512,512" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 512, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
