target triple = "amdgcn-amd-amdhsa"

@partials_argmax_last_3x5000xf64_191823fdd693a48e = internal addrspace(3) global [32 x i8] poison, align 16

@arrived_argmax_last_3x5000xf64_191823fdd693a48e = internal addrspace(3) global [4 x i8] poison, align 16

define protected amdgpu_kernel void @argmax_last_3x5000xf64_191823fdd693a48e(ptr addrspace(1) noalias readonly %input, ptr addrspace(1) noalias %values, ptr addrspace(1) noalias %indices, i64 %base, ptr addrspace(1) %workspace) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = and i32 %v1, 31
  %v3 = lshr i32 %v1, 5
  %v4 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v3)
  %v5 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v6 = and i32 %v5, 3
  %v7 = lshr i32 %v5, 2
  %v8 = mul i32 %v6, 1536
  %v9 = call i32 @llvm.umin.i32(i32 %v8, i32 3464)
  %v10 = shl i32 %v2, 1
  %v11 = shl i32 %v4, 8
  %v12 = add i32 %v10, %v11
  %v13 = add i32 %v9, %v12
  %v14 = mul i32 %v7, 40000
  %v15 = shl i32 %v9, 3
  %v16 = add i32 %v14, %v15
  %v17 = shl i32 %v11, 3
  %v18 = add i32 %v16, %v17
  %v19 = zext i32 %v18 to i64
  %v20 = shl i32 %v10, 3
  %v21 = getelementptr i8, ptr addrspace(1) %input, i64 %v19
  br label %step1
step1:
  %v22 = phi i32 [ 0, %entry ], [ %v73, %step1 ]
  %v23 = phi ptr addrspace(1) [ %v21, %entry ], [ %v74, %step1 ]
  %v24 = phi double [ 0xFFF0000000000000, %entry ], [ %v69, %step1 ]
  %v25 = phi i32 [ -1, %entry ], [ %v71, %step1 ]
  %v26 = phi double [ 0xFFF0000000000000, %entry ], [ %v70, %step1 ]
  %v27 = phi i32 [ -1, %entry ], [ %v72, %step1 ]
  %v28 = zext i32 %v20 to i64
  %v29 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v23)
  %v30 = getelementptr i8, ptr addrspace(1) %v29, i64 %v28
  %v31 = load <2 x double>, ptr addrspace(1) %v30, align 8
  %v32 = getelementptr i8, ptr addrspace(1) %v30, i64 512
  %v33 = load <2 x double>, ptr addrspace(1) %v32, align 8
  %v34 = getelementptr i8, ptr addrspace(1) %v30, i64 1024
  %v35 = load <2 x double>, ptr addrspace(1) %v34, align 8
  %v36 = getelementptr i8, ptr addrspace(1) %v30, i64 1536
  %v37 = load <2 x double>, ptr addrspace(1) %v36, align 8
  %v38 = add i32 %v22, 64
  %v39 = add i32 %v22, 128
  %v40 = add i32 %v22, 192
  %v41 = extractelement <2 x double> %v31, i32 0
  %v42 = extractelement <2 x double> %v31, i32 1
  %v43 = fcmp oge double %v41, %v24
  %v44 = fcmp oge double %v42, %v26
  %v45 = select i1 %v43, double %v41, double %v24
  %v46 = select i1 %v44, double %v42, double %v26
  %v47 = select i1 %v43, i32 %v22, i32 %v25
  %v48 = select i1 %v44, i32 %v22, i32 %v27
  %v49 = extractelement <2 x double> %v33, i32 0
  %v50 = extractelement <2 x double> %v33, i32 1
  %v51 = fcmp oge double %v49, %v45
  %v52 = fcmp oge double %v50, %v46
  %v53 = select i1 %v51, double %v49, double %v45
  %v54 = select i1 %v52, double %v50, double %v46
  %v55 = select i1 %v51, i32 %v38, i32 %v47
  %v56 = select i1 %v52, i32 %v38, i32 %v48
  %v57 = extractelement <2 x double> %v35, i32 0
  %v58 = extractelement <2 x double> %v35, i32 1
  %v59 = fcmp oge double %v57, %v53
  %v60 = fcmp oge double %v58, %v54
  %v61 = select i1 %v59, double %v57, double %v53
  %v62 = select i1 %v60, double %v58, double %v54
  %v63 = select i1 %v59, i32 %v39, i32 %v55
  %v64 = select i1 %v60, i32 %v39, i32 %v56
  %v65 = extractelement <2 x double> %v37, i32 0
  %v66 = extractelement <2 x double> %v37, i32 1
  %v67 = fcmp oge double %v65, %v61
  %v68 = fcmp oge double %v66, %v62
  %v69 = select i1 %v67, double %v65, double %v61
  %v70 = select i1 %v68, double %v66, double %v62
  %v71 = select i1 %v67, i32 %v40, i32 %v63
  %v72 = select i1 %v68, i32 %v40, i32 %v64
  %v73 = add i32 %v22, 512
  %v74 = getelementptr i8, ptr addrspace(1) %v23, i64 4096
  %v75 = icmp ult i32 %v22, 1024
  br i1 %v75, label %step1, label %reduced2
reduced2:
  %v76 = sub i32 -2, %v71
  %v77 = call i32 @llvm.uadd.sat.i32(i32 %v72, i32 1)
  %v78 = sub i32 -2, %v77
  %v79 = fcmp ogt double %v70, %v69
  %v80 = fcmp oeq double %v70, %v69
  %v81 = icmp ult i32 %v78, %v76
  %v82 = and i1 %v80, %v81
  %v83 = or i1 %v79, %v82
  %v84 = select i1 %v83, double %v70, double %v69
  %v85 = select i1 %v83, i32 %v78, i32 %v76
  %v86 = sub i32 -2, %v85
  %v87 = call i32 @llvm.uadd.sat.i32(i32 %v86, i32 %v13)
  %v88 = sub i32 -2, %v87
  %v89 = bitcast double %v84 to i64
  %v90 = lshr i64 %v89, 32
  %v91 = trunc i64 %v89 to i32
  %v92 = trunc i64 %v90 to i32
  %v93 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v91, i32 353, i32 15, i32 15, i1 true)
  %v94 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v92, i32 353, i32 15, i32 15, i1 true)
  %v95 = zext i32 %v93 to i64
  %v96 = zext i32 %v94 to i64
  %v97 = shl i64 %v96, 32
  %v98 = or i64 %v95, %v97
  %v99 = bitcast i64 %v98 to double
  %v100 = call nnan double @llvm.maxnum.f64(double %v84, double %v99)
  %v101 = bitcast double %v100 to i64
  %v102 = lshr i64 %v101, 32
  %v103 = trunc i64 %v101 to i32
  %v104 = trunc i64 %v102 to i32
  %v105 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v103, i32 354, i32 15, i32 15, i1 true)
  %v106 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v104, i32 354, i32 15, i32 15, i1 true)
  %v107 = zext i32 %v105 to i64
  %v108 = zext i32 %v106 to i64
  %v109 = shl i64 %v108, 32
  %v110 = or i64 %v107, %v109
  %v111 = bitcast i64 %v110 to double
  %v112 = call nnan double @llvm.maxnum.f64(double %v100, double %v111)
  %v113 = bitcast double %v112 to i64
  %v114 = lshr i64 %v113, 32
  %v115 = trunc i64 %v113 to i32
  %v116 = trunc i64 %v114 to i32
  %v117 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v115, i32 356, i32 15, i32 15, i1 true)
  %v118 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v116, i32 356, i32 15, i32 15, i1 true)
  %v119 = zext i32 %v117 to i64
  %v120 = zext i32 %v118 to i64
  %v121 = shl i64 %v120, 32
  %v122 = or i64 %v119, %v121
  %v123 = bitcast i64 %v122 to double
  %v124 = call nnan double @llvm.maxnum.f64(double %v112, double %v123)
  %v125 = bitcast double %v124 to i64
  %v126 = lshr i64 %v125, 32
  %v127 = trunc i64 %v125 to i32
  %v128 = trunc i64 %v126 to i32
  %v129 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v127, i32 360, i32 15, i32 15, i1 true)
  %v130 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v128, i32 360, i32 15, i32 15, i1 true)
  %v131 = zext i32 %v129 to i64
  %v132 = zext i32 %v130 to i64
  %v133 = shl i64 %v132, 32
  %v134 = or i64 %v131, %v133
  %v135 = bitcast i64 %v134 to double
  %v136 = call nnan double @llvm.maxnum.f64(double %v124, double %v135)
  %v137 = bitcast double %v136 to i64
  %v138 = lshr i64 %v137, 32
  %v139 = trunc i64 %v137 to i32
  %v140 = trunc i64 %v138 to i32
  %v141 = call i32 @llvm.amdgcn.permlanex16.i32(i32 poison, i32 %v139, i32 1985229328, i32 -19088744, i1 false, i1 false)
  %v142 = call i32 @llvm.amdgcn.permlanex16.i32(i32 poison, i32 %v140, i32 1985229328, i32 -19088744, i1 false, i1 false)
  %v143 = zext i32 %v141 to i64
  %v144 = zext i32 %v142 to i64
  %v145 = shl i64 %v144, 32
  %v146 = or i64 %v143, %v145
  %v147 = bitcast i64 %v146 to double
  %v148 = call nnan double @llvm.maxnum.f64(double %v136, double %v147)
  %v149 = bitcast double %v148 to i64
  %v150 = lshr i64 %v149, 32
  %v151 = trunc i64 %v149 to i32
  %v152 = trunc i64 %v150 to i32
  %v153 = call i32 @llvm.amdgcn.readlane.i32(i32 %v151, i32 0)
  %v154 = call i32 @llvm.amdgcn.readlane.i32(i32 %v152, i32 0)
  %v155 = zext i32 %v153 to i64
  %v156 = zext i32 %v154 to i64
  %v157 = shl i64 %v156, 32
  %v158 = or i64 %v155, %v157
  %v159 = bitcast i64 %v158 to double
  %v160 = fcmp oeq double %v84, %v159
  %v161 = call i32 @llvm.amdgcn.ballot.i32(i1 %v160)
  %v162 = call i32 @llvm.ctpop.i32(i32 %v161)
  %v163 = icmp eq i32 %v162, 1
  br i1 %v163, label %one3, label %several4
one3:
  %v164 = call i32 @llvm.cttz.i32(i32 %v161, i1 true)
  %v165 = call i32 @llvm.amdgcn.readlane.i32(i32 %v88, i32 %v164)
  %v166 = bitcast double %v84 to i64
  %v167 = lshr i64 %v166, 32
  %v168 = trunc i64 %v166 to i32
  %v169 = trunc i64 %v167 to i32
  %v170 = call i32 @llvm.amdgcn.readlane.i32(i32 %v168, i32 %v164)
  %v171 = call i32 @llvm.amdgcn.readlane.i32(i32 %v169, i32 %v164)
  br label %both5
several4:
  %v172 = select i1 %v160, i32 %v88, i32 -1
  %v173 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v172, i32 353, i32 15, i32 15, i1 true)
  %v174 = call i32 @llvm.umin.i32(i32 %v172, i32 %v173)
  %v175 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v174, i32 354, i32 15, i32 15, i1 true)
  %v176 = call i32 @llvm.umin.i32(i32 %v174, i32 %v175)
  %v177 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v176, i32 356, i32 15, i32 15, i1 true)
  %v178 = call i32 @llvm.umin.i32(i32 %v176, i32 %v177)
  %v179 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v178, i32 360, i32 15, i32 15, i1 true)
  %v180 = call i32 @llvm.umin.i32(i32 %v178, i32 %v179)
  %v181 = call i32 @llvm.amdgcn.permlanex16.i32(i32 poison, i32 %v180, i32 1985229328, i32 -19088744, i1 false, i1 false)
  %v182 = call i32 @llvm.umin.i32(i32 %v180, i32 %v181)
  %v183 = call i32 @llvm.amdgcn.readlane.i32(i32 %v182, i32 0)
  %v184 = icmp eq i32 %v172, %v183
  %v185 = call i32 @llvm.amdgcn.ballot.i32(i1 %v184)
  %v186 = call i32 @llvm.cttz.i32(i32 %v185, i1 true)
  %v187 = call i32 @llvm.amdgcn.readlane.i32(i32 %v88, i32 %v186)
  %v188 = bitcast double %v84 to i64
  %v189 = lshr i64 %v188, 32
  %v190 = trunc i64 %v188 to i32
  %v191 = trunc i64 %v189 to i32
  %v192 = call i32 @llvm.amdgcn.readlane.i32(i32 %v190, i32 %v186)
  %v193 = call i32 @llvm.amdgcn.readlane.i32(i32 %v191, i32 %v186)
  br label %both5
both5:
  %v194 = phi i32 [ %v170, %one3 ], [ %v192, %several4 ]
  %v195 = phi i32 [ %v171, %one3 ], [ %v193, %several4 ]
  %v196 = phi i32 [ %v165, %one3 ], [ %v187, %several4 ]
  %v197 = icmp eq i32 %v2, 0
  %v198 = zext i32 %v194 to i64
  %v199 = zext i32 %v195 to i64
  %v200 = shl i64 %v199, 32
  %v201 = or i64 %v198, %v200
  %v202 = bitcast i64 %v201 to double
  %v203 = lshr i32 %v1, 5
  %v204 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v203)
  br i1 %v197, label %guarded6, label %after7
guarded6:
  %v205 = getelementptr [16 x i8], ptr addrspace(3) @partials_argmax_last_3x5000xf64_191823fdd693a48e, i32 %v204
  %v206 = bitcast double %v202 to i64
  %v207 = lshr i64 %v206, 32
  %v208 = trunc i64 %v206 to i32
  %v209 = trunc i64 %v207 to i32
  %v210 = insertelement <4 x i32> poison, i32 %v208, i32 0
  %v211 = insertelement <4 x i32> %v210, i32 %v209, i32 1
  %v212 = insertelement <4 x i32> %v211, i32 %v196, i32 2
  store <4 x i32> %v212, ptr addrspace(3) %v205, align 16
  br label %after7
after7:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v213 = icmp ult i32 %v1, 2
  br i1 %v213, label %guarded8, label %after9
guarded8:
  %v214 = getelementptr [16 x i8], ptr addrspace(3) @partials_argmax_last_3x5000xf64_191823fdd693a48e, i32 %v1
  %v215 = load <4 x i32>, ptr addrspace(3) %v214, align 16
  %v216 = extractelement <4 x i32> %v215, i32 0
  %v217 = extractelement <4 x i32> %v215, i32 1
  %v218 = extractelement <4 x i32> %v215, i32 2
  %v219 = zext i32 %v216 to i64
  %v220 = zext i32 %v217 to i64
  %v221 = shl i64 %v220, 32
  %v222 = or i64 %v219, %v221
  %v223 = bitcast i64 %v222 to double
  %v224 = bitcast double %v223 to i64
  %v225 = lshr i64 %v224, 32
  %v226 = trunc i64 %v224 to i32
  %v227 = trunc i64 %v225 to i32
  %v228 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v226, i32 353, i32 15, i32 15, i1 true)
  %v229 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v227, i32 353, i32 15, i32 15, i1 true)
  %v230 = zext i32 %v228 to i64
  %v231 = zext i32 %v229 to i64
  %v232 = shl i64 %v231, 32
  %v233 = or i64 %v230, %v232
  %v234 = bitcast i64 %v233 to double
  %v235 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v218, i32 353, i32 15, i32 15, i1 true)
  %v236 = fcmp ogt double %v234, %v223
  %v237 = fcmp oeq double %v234, %v223
  %v238 = icmp ult i32 %v235, %v218
  %v239 = and i1 %v237, %v238
  %v240 = or i1 %v236, %v239
  %v241 = select i1 %v240, double %v234, double %v223
  %v242 = select i1 %v240, i32 %v235, i32 %v218
  %v243 = and i32 %v1, 1
  %v244 = lshr i32 %v1, 1
  %v245 = icmp eq i32 %v243, 0
  br i1 %v245, label %guarded10, label %after11
guarded10:
  %v246 = shl i32 %v7, 6
  %v247 = zext i32 %v246 to i64
  %v248 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v247
  %v249 = zext i32 %v6 to i64
  %v250 = shl i64 %v249, 4
  %v251 = getelementptr i8, ptr addrspace(1) %v248, i64 %v250
  %v252 = bitcast double %v241 to i64
  %v253 = lshr i64 %v252, 32
  %v254 = trunc i64 %v252 to i32
  %v255 = trunc i64 %v253 to i32
  %v256 = insertelement <4 x i32> poison, i32 %v254, i32 0
  %v257 = insertelement <4 x i32> %v256, i32 %v255, i32 1
  %v258 = insertelement <4 x i32> %v257, i32 %v242, i32 2
  store <4 x i32> %v258, ptr addrspace(1) %v251, align 16
  br label %after11
after11:
  br label %after9
after9:
  %v259 = getelementptr i8, ptr addrspace(1) %workspace, i64 192
  %v260 = zext i32 %v7 to i64
  %v261 = shl i64 %v260, 2
  %v262 = getelementptr i8, ptr addrspace(1) %v259, i64 %v261
  fence syncscope("agent") release
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v263 = icmp eq i32 %v1, 0
  br i1 %v263, label %guarded12, label %after13
guarded12:
  %v264 = atomicrmw add ptr addrspace(1) %v262, i32 1 syncscope("agent") acq_rel
  store i32 %v264, ptr addrspace(3) @arrived_argmax_last_3x5000xf64_191823fdd693a48e, align 4
  br label %after13
after13:
  %v265 = phi i32 [ 0, %after9 ], [ %v264, %guarded12 ]
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v266 = load i32, ptr addrspace(3) @arrived_argmax_last_3x5000xf64_191823fdd693a48e, align 4
  %v267 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v266)
  %v268 = icmp eq i32 %v267, 3
  br i1 %v268, label %guarded14, label %after15
guarded14:
  fence syncscope("agent") acquire
  %v269 = icmp eq i32 %v1, 0
  br i1 %v269, label %guarded16, label %after17
guarded16:
  store i32 0, ptr addrspace(1) %v262, align 4
  br label %after17
after17:
  %v270 = icmp ult i32 %v1, 4
  br i1 %v270, label %guarded18, label %after19
guarded18:
  %v271 = and i32 %v1, 3
  %v272 = lshr i32 %v1, 2
  %v273 = shl i32 %v7, 6
  %v274 = zext i32 %v273 to i64
  %v275 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v274
  %v276 = zext i32 %v271 to i64
  %v277 = shl i64 %v276, 4
  %v278 = getelementptr i8, ptr addrspace(1) %v275, i64 %v277
  %v279 = load <4 x i32>, ptr addrspace(1) %v278, align 16
  %v280 = extractelement <4 x i32> %v279, i32 0
  %v281 = extractelement <4 x i32> %v279, i32 1
  %v282 = extractelement <4 x i32> %v279, i32 2
  %v283 = zext i32 %v280 to i64
  %v284 = zext i32 %v281 to i64
  %v285 = shl i64 %v284, 32
  %v286 = or i64 %v283, %v285
  %v287 = bitcast i64 %v286 to double
  %v288 = bitcast double %v287 to i64
  %v289 = lshr i64 %v288, 32
  %v290 = trunc i64 %v288 to i32
  %v291 = trunc i64 %v289 to i32
  %v292 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v290, i32 353, i32 15, i32 15, i1 true)
  %v293 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v291, i32 353, i32 15, i32 15, i1 true)
  %v294 = zext i32 %v292 to i64
  %v295 = zext i32 %v293 to i64
  %v296 = shl i64 %v295, 32
  %v297 = or i64 %v294, %v296
  %v298 = bitcast i64 %v297 to double
  %v299 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v282, i32 353, i32 15, i32 15, i1 true)
  %v300 = fcmp ogt double %v298, %v287
  %v301 = fcmp oeq double %v298, %v287
  %v302 = icmp ult i32 %v299, %v282
  %v303 = and i1 %v301, %v302
  %v304 = or i1 %v300, %v303
  %v305 = select i1 %v304, double %v298, double %v287
  %v306 = select i1 %v304, i32 %v299, i32 %v282
  %v307 = bitcast double %v305 to i64
  %v308 = lshr i64 %v307, 32
  %v309 = trunc i64 %v307 to i32
  %v310 = trunc i64 %v308 to i32
  %v311 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v309, i32 354, i32 15, i32 15, i1 true)
  %v312 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v310, i32 354, i32 15, i32 15, i1 true)
  %v313 = zext i32 %v311 to i64
  %v314 = zext i32 %v312 to i64
  %v315 = shl i64 %v314, 32
  %v316 = or i64 %v313, %v315
  %v317 = bitcast i64 %v316 to double
  %v318 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v306, i32 354, i32 15, i32 15, i1 true)
  %v319 = fcmp ogt double %v317, %v305
  %v320 = fcmp oeq double %v317, %v305
  %v321 = icmp ult i32 %v318, %v306
  %v322 = and i1 %v320, %v321
  %v323 = or i1 %v319, %v322
  %v324 = select i1 %v323, double %v317, double %v305
  %v325 = select i1 %v323, i32 %v318, i32 %v306
  %v326 = icmp eq i32 %v271, 0
  br i1 %v326, label %guarded20, label %after21
guarded20:
  %v327 = sub i32 -2, %v325
  %v328 = icmp ne i32 %v325, -1
  %v329 = zext i32 %v327 to i64
  %v330 = add i64 %v329, %base
  %v331 = select i1 %v328, i64 %v330, i64 0
  %v332 = shl i32 %v7, 3
  %v333 = zext i32 %v332 to i64
  %v334 = getelementptr i8, ptr addrspace(1) %values, i64 %v333
  store double %v324, ptr addrspace(1) %v334, align 8
  %v335 = shl i32 %v7, 3
  %v336 = zext i32 %v335 to i64
  %v337 = getelementptr i8, ptr addrspace(1) %indices, i64 %v336
  store i64 %v331, ptr addrspace(1) %v337, align 8
  br label %after21
after21:
  br label %after19
after19:
  br label %after15
after15:
  ret void
}

declare i32 @llvm.amdgcn.ballot.i32(i1)
declare i32 @llvm.amdgcn.permlanex16.i32(i32, i32, i32, i32, i1, i1)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.cttz.i32(i32, i1)
declare double @llvm.maxnum.f64(double, double)
declare i32 @llvm.uadd.sat.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" "target-features"="+wavefrontsize32" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 64, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
