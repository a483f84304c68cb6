target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmax_100000000x2xf32_2_dd1b044f3be6649b(ptr addrspace(1) inreg noalias readonly %input, ptr addrspace(1) inreg noalias %values, ptr addrspace(1) inreg noalias %indices) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v3 = call i32 @llvm.amdgcn.workgroup.id.y()
  %v4 = mul i32 %v3, 67108863
  %v5 = add i32 %v4, %v2
  %v6 = icmp ult i32 %v5, 100000000
  br i1 %v6, label %stay2, label %leave1
leave1:
  ret void
stay2:
  %v7 = call i32 @llvm.umin.i32(i32 %v1, i32 1)
  %v8 = shl i32 %v5, 3
  %v9 = zext i32 %v8 to i64
  %v10 = shl i32 %v7, 2
  %v11 = getelementptr i8, ptr addrspace(1) %input, i64 %v9
  %v12 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v11)
  %v13 = zext i32 %v10 to i64
  %v14 = getelementptr i8, ptr addrspace(1) %v12, i64 %v13
  %v15 = load float, ptr addrspace(1) %v14, align 4
  %v16 = fcmp ogt float %v15, 0xFFF0000000000000
  %v17 = select i1 %v16, float %v15, float 0xFFF0000000000000
  %v18 = select i1 %v16, i32 0, i32 0
  %v19 = add i32 %v18, %v7
  %v20 = bitcast float %v17 to i32
  %v21 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v20, i32 177, i32 15, i32 15, i1 true)
  %v22 = bitcast i32 %v21 to float
  %v23 = call nnan float @llvm.maxnum.f32(float %v17, float %v22)
  %v24 = bitcast float %v23 to i32
  %v25 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v24, i32 78, i32 15, i32 15, i1 true)
  %v26 = bitcast i32 %v25 to float
  %v27 = call nnan float @llvm.maxnum.f32(float %v23, float %v26)
  %v28 = bitcast float %v27 to i32
  %v29 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v28, i32 321, i32 15, i32 15, i1 true)
  %v30 = bitcast i32 %v29 to float
  %v31 = call nnan float @llvm.maxnum.f32(float %v27, float %v30)
  %v32 = bitcast float %v31 to i32
  %v33 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v32, i32 296, i32 15, i32 15, i1 true)
  %v34 = bitcast i32 %v33 to float
  %v35 = call nnan float @llvm.maxnum.f32(float %v31, float %v34)
  %v36 = bitcast float %v35 to i32
  %v37 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v36, i32 %v36, i32 322, i32 10, i32 15, i1 false)
  %v38 = bitcast i32 %v37 to float
  %v39 = call nnan float @llvm.maxnum.f32(float %v35, float %v38)
  %v40 = bitcast float %v39 to i32
  %v41 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v40, i32 %v40, i32 323, i32 12, i32 15, i1 false)
  %v42 = bitcast i32 %v41 to float
  %v43 = call nnan float @llvm.maxnum.f32(float %v39, float %v42)
  %v44 = bitcast float %v43 to i32
  %v45 = call i32 @llvm.amdgcn.readlane.i32(i32 %v44, i32 63)
  %v46 = bitcast i32 %v45 to float
  %v47 = fcmp oeq float %v17, %v46
  %v48 = call i64 @llvm.amdgcn.ballot.i64(i1 %v47)
  %v49 = call i64 @llvm.ctpop.i64(i64 %v48)
  %v50 = icmp eq i64 %v49, 1
  br i1 %v50, label %then3, label %else5
then3:
  %v51 = call i64 @llvm.cttz.i64(i64 %v48, i1 true)
  %v52 = trunc i64 %v51 to i32
  %v53 = call i32 @llvm.amdgcn.readlane.i32(i32 %v19, i32 %v52)
  %v54 = bitcast float %v17 to i32
  %v55 = call i32 @llvm.amdgcn.readlane.i32(i32 %v54, i32 %v52)
  br label %after4
else5:
  %v56 = select i1 %v47, i32 %v19, i32 -1
  %v57 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v56, i32 177, i32 15, i32 15, i1 true)
  %v58 = call i32 @llvm.umin.i32(i32 %v56, i32 %v57)
  %v59 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v58, i32 78, i32 15, i32 15, i1 true)
  %v60 = call i32 @llvm.umin.i32(i32 %v58, i32 %v59)
  %v61 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v60, i32 321, i32 15, i32 15, i1 true)
  %v62 = call i32 @llvm.umin.i32(i32 %v60, i32 %v61)
  %v63 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v62, i32 296, i32 15, i32 15, i1 true)
  %v64 = call i32 @llvm.umin.i32(i32 %v62, i32 %v63)
  %v65 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v64, i32 %v64, i32 322, i32 10, i32 15, i1 false)
  %v66 = call i32 @llvm.umin.i32(i32 %v64, i32 %v65)
  %v67 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v66, i32 %v66, i32 323, i32 12, i32 15, i1 false)
  %v68 = call i32 @llvm.umin.i32(i32 %v66, i32 %v67)
  %v69 = call i32 @llvm.amdgcn.readlane.i32(i32 %v68, i32 63)
  %v70 = icmp eq i32 %v56, %v69
  %v71 = call i64 @llvm.amdgcn.ballot.i64(i1 %v70)
  %v72 = call i64 @llvm.cttz.i64(i64 %v71, i1 true)
  %v73 = trunc i64 %v72 to i32
  %v74 = call i32 @llvm.amdgcn.readlane.i32(i32 %v19, i32 %v73)
  %v75 = bitcast float %v17 to i32
  %v76 = call i32 @llvm.amdgcn.readlane.i32(i32 %v75, i32 %v73)
  br label %after4
after4:
  %v77 = phi i32 [ %v55, %then3 ], [ %v76, %else5 ]
  %v78 = phi i32 [ %v53, %then3 ], [ %v74, %else5 ]
  %v79 = icmp eq i32 %v1, 0
  %v80 = bitcast i32 %v77 to float
  br i1 %v79, label %then6, label %after7
then6:
  %v81 = fcmp ogt float %v80, 0xFFF0000000000000
  %v82 = shl i32 %v5, 2
  %v83 = zext i32 %v82 to i64
  %v84 = getelementptr i8, ptr addrspace(1) %values, i64 %v83
  store float %v80, ptr addrspace(1) %v84, align 4
  %v85 = shl i32 %v5, 2
  %v86 = zext i32 %v85 to i64
  %v87 = getelementptr i8, ptr addrspace(1) %indices, i64 %v86
  store i32 %v78, ptr addrspace(1) %v87, align 4
  br label %after7
after7:
  ret void
}

declare float @llvm.maxnum.f32(float, float)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.umin.i32(i32, i32)
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" }
!0 = !{i32 64, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
