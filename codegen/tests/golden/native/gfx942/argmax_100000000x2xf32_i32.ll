target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmax_100000000x2xf32_737c5316da944429(ptr addrspace(1) noalias readonly %input, ptr addrspace(1) noalias %values, ptr addrspace(1) noalias %indices) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v3 = call i32 @llvm.amdgcn.workgroup.id.y()
  %v4 = mul i32 %v3, 67108863
  %v5 = add i32 %v4, %v2
  %v6 = call i32 @llvm.umin.i32(i32 %v5, i32 99999999)
  %v7 = sub i32 %v5, %v6
  %v8 = zext i32 %v6 to i64
  %v9 = shl i64 %v8, 3
  %v10 = getelementptr i8, ptr addrspace(1) %input, i64 %v9
  %v11 = call i32 @llvm.umin.i32(i32 %v1, i32 1)
  %v12 = shl i32 %v11, 2
  %v13 = zext i32 %v12 to i64
  %v14 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v10)
  %v15 = getelementptr i8, ptr addrspace(1) %v14, i64 %v13
  %v16 = load float, ptr addrspace(1) %v15, align 4
  %v17 = sub i32 %v11, %v1
  %v18 = fcmp ogt float %v16, 0xFFF0000000000000
  %v19 = select i1 %v18, float %v16, float 0xFFF0000000000000
  %v20 = select i1 %v18, i32 %v17, i32 0
  %v21 = add i32 %v20, %v1
  %v22 = bitcast float %v19 to i32
  %v23 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v22, i32 177, i32 15, i32 15, i1 true)
  %v24 = bitcast i32 %v23 to float
  %v25 = call nnan float @llvm.maxnum.f32(float %v19, float %v24)
  %v26 = bitcast float %v25 to i32
  %v27 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v26, i32 78, i32 15, i32 15, i1 true)
  %v28 = bitcast i32 %v27 to float
  %v29 = call nnan float @llvm.maxnum.f32(float %v25, float %v28)
  %v30 = bitcast float %v29 to i32
  %v31 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v30, i32 321, i32 15, i32 15, i1 true)
  %v32 = bitcast i32 %v31 to float
  %v33 = call nnan float @llvm.maxnum.f32(float %v29, float %v32)
  %v34 = bitcast float %v33 to i32
  %v35 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v34, i32 296, i32 15, i32 15, i1 true)
  %v36 = bitcast i32 %v35 to float
  %v37 = call nnan float @llvm.maxnum.f32(float %v33, float %v36)
  %v38 = bitcast float %v37 to i32
  %v39 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v38, i32 %v38, i32 322, i32 10, i32 15, i1 false)
  %v40 = bitcast i32 %v39 to float
  %v41 = call nnan float @llvm.maxnum.f32(float %v37, float %v40)
  %v42 = bitcast float %v41 to i32
  %v43 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v42, i32 %v42, i32 323, i32 12, i32 15, i1 false)
  %v44 = bitcast i32 %v43 to float
  %v45 = call nnan float @llvm.maxnum.f32(float %v41, float %v44)
  %v46 = bitcast float %v45 to i32
  %v47 = call i32 @llvm.amdgcn.readlane.i32(i32 %v46, i32 63)
  %v48 = bitcast i32 %v47 to float
  %v49 = fcmp oeq float %v19, %v48
  %v50 = call i64 @llvm.amdgcn.ballot.i64(i1 %v49)
  %v51 = call i64 @llvm.ctpop.i64(i64 %v50)
  %v52 = icmp eq i64 %v51, 1
  br i1 %v52, label %one1, label %several2
one1:
  %v53 = call i64 @llvm.cttz.i64(i64 %v50, i1 true)
  %v54 = trunc i64 %v53 to i32
  %v55 = call i32 @llvm.amdgcn.readlane.i32(i32 %v21, i32 %v54)
  %v56 = bitcast float %v19 to i32
  %v57 = call i32 @llvm.amdgcn.readlane.i32(i32 %v56, i32 %v54)
  br label %both3
several2:
  %v58 = select i1 %v49, i32 %v21, i32 2147483647
  %v59 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v58, i32 177, i32 15, i32 15, i1 true)
  %v60 = call i32 @llvm.smin.i32(i32 %v58, i32 %v59)
  %v61 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v60, i32 78, i32 15, i32 15, i1 true)
  %v62 = call i32 @llvm.smin.i32(i32 %v60, i32 %v61)
  %v63 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v62, i32 321, i32 15, i32 15, i1 true)
  %v64 = call i32 @llvm.smin.i32(i32 %v62, i32 %v63)
  %v65 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v64, i32 296, i32 15, i32 15, i1 true)
  %v66 = call i32 @llvm.smin.i32(i32 %v64, i32 %v65)
  %v67 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v66, i32 %v66, i32 322, i32 10, i32 15, i1 false)
  %v68 = call i32 @llvm.smin.i32(i32 %v66, i32 %v67)
  %v69 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v68, i32 %v68, i32 323, i32 12, i32 15, i1 false)
  %v70 = call i32 @llvm.smin.i32(i32 %v68, i32 %v69)
  %v71 = call i32 @llvm.amdgcn.readlane.i32(i32 %v70, i32 63)
  %v72 = icmp eq i32 %v58, %v71
  %v73 = call i64 @llvm.amdgcn.ballot.i64(i1 %v72)
  %v74 = call i64 @llvm.cttz.i64(i64 %v73, i1 true)
  %v75 = trunc i64 %v74 to i32
  %v76 = bitcast float %v19 to i32
  %v77 = call i32 @llvm.amdgcn.readlane.i32(i32 %v76, i32 %v75)
  br label %both3
both3:
  %v78 = phi i32 [ %v55, %one1 ], [ %v71, %several2 ]
  %v79 = phi i32 [ %v57, %one1 ], [ %v77, %several2 ]
  %v80 = icmp eq i32 %v1, 0
  %v81 = bitcast i32 %v79 to float
  %v82 = icmp uge i32 0, %v7
  %v83 = and i1 %v80, %v82
  br i1 %v83, label %store4, label %stored5
store4:
  %v84 = zext i32 %v6 to i64
  %v85 = shl i64 %v84, 2
  %v86 = getelementptr i8, ptr addrspace(1) %values, i64 %v85
  store float %v81, ptr addrspace(1) %v86, align 4
  %v87 = zext i32 %v6 to i64
  %v88 = shl i64 %v87, 2
  %v89 = getelementptr i8, ptr addrspace(1) %indices, i64 %v88
  store i32 %v78, ptr addrspace(1) %v89, align 4
  br label %stored5
stored5:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare float @llvm.maxnum.f32(float, float)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" }
!0 = !{i32 64, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
