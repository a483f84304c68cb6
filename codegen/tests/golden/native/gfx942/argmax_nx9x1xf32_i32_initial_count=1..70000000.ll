target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmax_nx9x1xf32_2_666715a9cd994de2(ptr addrspace(1) inreg noalias readonly %input, ptr addrspace(1) inreg noalias %values, ptr addrspace(1) inreg noalias %indices, i32 inreg %count) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v3 = call i32 @llvm.amdgcn.workgroup.id.y()
  %v4 = mul i32 %v3, 67108863
  %v5 = add i32 %v4, %v2
  %v6 = icmp ult i32 %v5, %count
  br i1 %v6, label %stay2, label %leave1
leave1:
  ret void
stay2:
  %v7 = call i32 @llvm.umin.i32(i32 %v1, i32 8)
  %v8 = shl i32 %v5, 2
  %v9 = zext i32 %v8 to i64
  %v10 = getelementptr i8, ptr addrspace(1) %values, i64 %v9
  %v11 = load float, ptr addrspace(1) %v10, align 4
  %v12 = mul i32 %v5, 36
  %v13 = zext i32 %v12 to i64
  %v14 = shl i32 %v7, 2
  %v15 = getelementptr i8, ptr addrspace(1) %input, i64 %v13
  %v16 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v15)
  %v17 = zext i32 %v14 to i64
  %v18 = getelementptr i8, ptr addrspace(1) %v16, i64 %v17
  %v19 = load float, ptr addrspace(1) %v18, align 4
  %v20 = fcmp ogt float %v19, %v11
  %v21 = select i1 %v20, float %v19, float %v11
  %v22 = select i1 %v20, i32 0, i32 -1
  %v23 = call i32 @llvm.uadd.sat.i32(i32 %v22, i32 %v7)
  %v24 = bitcast float %v21 to i32
  %v25 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v24, i32 177, i32 15, i32 15, i1 true)
  %v26 = bitcast i32 %v25 to float
  %v27 = call float @llvm.maxnum.f32(float %v21, float %v26)
  %v28 = bitcast float %v27 to i32
  %v29 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v28, i32 78, i32 15, i32 15, i1 true)
  %v30 = bitcast i32 %v29 to float
  %v31 = call float @llvm.maxnum.f32(float %v27, float %v30)
  %v32 = bitcast float %v31 to i32
  %v33 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v32, i32 321, i32 15, i32 15, i1 true)
  %v34 = bitcast i32 %v33 to float
  %v35 = call float @llvm.maxnum.f32(float %v31, float %v34)
  %v36 = bitcast float %v35 to i32
  %v37 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v36, i32 296, i32 15, i32 15, i1 true)
  %v38 = bitcast i32 %v37 to float
  %v39 = call float @llvm.maxnum.f32(float %v35, float %v38)
  %v40 = bitcast float %v39 to i32
  %v41 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v40, i32 %v40, i32 322, i32 10, i32 15, i1 false)
  %v42 = bitcast i32 %v41 to float
  %v43 = call float @llvm.maxnum.f32(float %v39, float %v42)
  %v44 = bitcast float %v43 to i32
  %v45 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v44, i32 %v44, i32 323, i32 12, i32 15, i1 false)
  %v46 = bitcast i32 %v45 to float
  %v47 = call float @llvm.maxnum.f32(float %v43, float %v46)
  %v48 = bitcast float %v47 to i32
  %v49 = call i32 @llvm.amdgcn.readlane.i32(i32 %v48, i32 63)
  %v50 = bitcast i32 %v49 to float
  %v51 = fcmp oeq float %v21, %v50
  %v52 = call i64 @llvm.amdgcn.ballot.i64(i1 %v51)
  %v53 = call i64 @llvm.ctpop.i64(i64 %v52)
  %v54 = icmp eq i64 %v53, 1
  br i1 %v54, label %then3, label %else5
then3:
  %v55 = call i64 @llvm.cttz.i64(i64 %v52, i1 true)
  %v56 = trunc i64 %v55 to i32
  %v57 = call i32 @llvm.amdgcn.readlane.i32(i32 %v23, i32 %v56)
  %v58 = bitcast float %v21 to i32
  %v59 = call i32 @llvm.amdgcn.readlane.i32(i32 %v58, i32 %v56)
  br label %after4
else5:
  %v60 = select i1 %v51, i32 %v23, i32 -1
  %v61 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v60, i32 177, i32 15, i32 15, i1 true)
  %v62 = call i32 @llvm.umin.i32(i32 %v60, i32 %v61)
  %v63 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v62, i32 78, i32 15, i32 15, i1 true)
  %v64 = call i32 @llvm.umin.i32(i32 %v62, i32 %v63)
  %v65 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v64, i32 321, i32 15, i32 15, i1 true)
  %v66 = call i32 @llvm.umin.i32(i32 %v64, i32 %v65)
  %v67 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v66, i32 296, i32 15, i32 15, i1 true)
  %v68 = call i32 @llvm.umin.i32(i32 %v66, i32 %v67)
  %v69 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v68, i32 %v68, i32 322, i32 10, i32 15, i1 false)
  %v70 = call i32 @llvm.umin.i32(i32 %v68, i32 %v69)
  %v71 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v70, i32 %v70, i32 323, i32 12, i32 15, i1 false)
  %v72 = call i32 @llvm.umin.i32(i32 %v70, i32 %v71)
  %v73 = call i32 @llvm.amdgcn.readlane.i32(i32 %v72, i32 63)
  %v74 = icmp eq i32 %v60, %v73
  %v75 = call i64 @llvm.amdgcn.ballot.i64(i1 %v74)
  %v76 = call i64 @llvm.cttz.i64(i64 %v75, i1 true)
  %v77 = trunc i64 %v76 to i32
  %v78 = call i32 @llvm.amdgcn.readlane.i32(i32 %v23, i32 %v77)
  %v79 = bitcast float %v21 to i32
  %v80 = call i32 @llvm.amdgcn.readlane.i32(i32 %v79, i32 %v77)
  br label %after4
after4:
  %v81 = phi i32 [ %v59, %then3 ], [ %v80, %else5 ]
  %v82 = phi i32 [ %v57, %then3 ], [ %v78, %else5 ]
  %v83 = icmp eq i32 %v1, 0
  %v84 = bitcast i32 %v81 to float
  br i1 %v83, label %then6, label %after7
then6:
  %v85 = icmp ne i32 %v82, -1
  br i1 %v85, label %then8, label %after9
then8:
  %v86 = shl i32 %v5, 2
  %v87 = zext i32 %v86 to i64
  %v88 = getelementptr i8, ptr addrspace(1) %values, i64 %v87
  store float %v84, ptr addrspace(1) %v88, align 4
  %v89 = shl i32 %v5, 2
  %v90 = zext i32 %v89 to i64
  %v91 = getelementptr i8, ptr addrspace(1) %indices, i64 %v90
  store i32 %v82, ptr addrspace(1) %v91, align 4
  br label %after9
after9:
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
declare i32 @llvm.uadd.sat.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" }
!0 = !{i32 64, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
