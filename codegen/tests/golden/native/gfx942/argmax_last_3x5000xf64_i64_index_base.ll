target triple = "amdgcn-amd-amdhsa"

@partials_argmax_last_3x5000xf64_2_a8705a2825db4b15 = internal addrspace(3) global [32 x i8] poison, align 16

@arrived_argmax_last_3x5000xf64_2_a8705a2825db4b15 = internal addrspace(3) global [4 x i8] poison, align 16

define protected amdgpu_kernel void @argmax_last_3x5000xf64_2_a8705a2825db4b15(ptr addrspace(1) inreg noalias readonly %input, ptr addrspace(1) inreg noalias %values, ptr addrspace(1) inreg noalias %indices, i64 inreg %base, ptr addrspace(1) inreg %workspace) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = and i32 %v1, 63
  %v3 = lshr i32 %v1, 6
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
  br label %loop1
loop1:
  %v22 = phi i32 [ 0, %entry ], [ %v59, %loop1 ]
  %v23 = phi ptr addrspace(1) [ %v21, %entry ], [ %v60, %loop1 ]
  %v24 = phi double [ 0xFFF0000000000000, %entry ], [ %v55, %loop1 ]
  %v25 = phi i32 [ -1, %entry ], [ %v57, %loop1 ]
  %v26 = phi double [ 0xFFF0000000000000, %entry ], [ %v56, %loop1 ]
  %v27 = phi i32 [ -1, %entry ], [ %v58, %loop1 ]
  %v28 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v23)
  %v29 = zext i32 %v20 to i64
  %v30 = getelementptr i8, ptr addrspace(1) %v28, i64 %v29
  %v31 = load <2 x double>, ptr addrspace(1) %v30, align 8
  %v32 = getelementptr i8, ptr addrspace(1) %v30, i64 1024
  %v33 = load <2 x double>, ptr addrspace(1) %v32, align 8
  %v34 = add i32 %v22, 128
  %v35 = zext i32 %v22 to i64
  %v36 = zext i32 %v34 to i64
  %v37 = shl nuw i64 %v36, 32
  %v38 = or disjoint i64 %v35, %v37
  %v39 = call i64 asm "v_mov_b64 $0, $1", "=v,s"(i64 %v38)
  %v40 = lshr i64 %v39, 32
  %v41 = trunc i64 %v39 to i32
  %v42 = trunc i64 %v40 to i32
  %v43 = extractelement <2 x double> %v31, i32 0
  %v44 = extractelement <2 x double> %v31, i32 1
  %v45 = fcmp oge double %v43, %v24
  %v46 = fcmp oge double %v44, %v26
  %v47 = select i1 %v45, double %v43, double %v24
  %v48 = select i1 %v46, double %v44, double %v26
  %v49 = select i1 %v45, i32 %v41, i32 %v25
  %v50 = select i1 %v46, i32 %v41, i32 %v27
  %v51 = extractelement <2 x double> %v33, i32 0
  %v52 = extractelement <2 x double> %v33, i32 1
  %v53 = fcmp oge double %v51, %v47
  %v54 = fcmp oge double %v52, %v48
  %v55 = select i1 %v53, double %v51, double %v47
  %v56 = select i1 %v54, double %v52, double %v48
  %v57 = select i1 %v53, i32 %v42, i32 %v49
  %v58 = select i1 %v54, i32 %v42, i32 %v50
  %v59 = add i32 %v22, 512
  %v60 = getelementptr i8, ptr addrspace(1) %v23, i64 4096
  %v61 = icmp ult i32 %v22, 1024
  br i1 %v61, label %loop1, label %done2
done2:
  %v62 = sub i32 -2, %v57
  %v63 = call i32 @llvm.uadd.sat.i32(i32 %v58, i32 1)
  %v64 = sub i32 -2, %v63
  %v65 = fcmp ogt double %v56, %v55
  %v66 = fcmp oeq double %v56, %v55
  %v67 = icmp ult i32 %v64, %v62
  %v68 = and i1 %v66, %v67
  %v69 = or i1 %v65, %v68
  %v70 = select i1 %v69, double %v56, double %v55
  %v71 = select i1 %v69, i32 %v64, i32 %v62
  %v72 = sub i32 -2, %v71
  %v73 = call i32 @llvm.uadd.sat.i32(i32 %v72, i32 %v13)
  %v74 = sub i32 -2, %v73
  %v75 = bitcast double %v70 to i64
  %v76 = lshr i64 %v75, 32
  %v77 = trunc i64 %v75 to i32
  %v78 = trunc i64 %v76 to i32
  %v79 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v77, i32 177, i32 15, i32 15, i1 true)
  %v80 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v78, i32 177, i32 15, i32 15, i1 true)
  %v81 = zext i32 %v79 to i64
  %v82 = zext i32 %v80 to i64
  %v83 = shl i64 %v82, 32
  %v84 = or i64 %v81, %v83
  %v85 = bitcast i64 %v84 to double
  %v86 = call nnan double @llvm.maxnum.f64(double %v70, double %v85)
  %v87 = bitcast double %v86 to i64
  %v88 = lshr i64 %v87, 32
  %v89 = trunc i64 %v87 to i32
  %v90 = trunc i64 %v88 to i32
  %v91 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v89, i32 78, i32 15, i32 15, i1 true)
  %v92 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v90, i32 78, i32 15, i32 15, i1 true)
  %v93 = zext i32 %v91 to i64
  %v94 = zext i32 %v92 to i64
  %v95 = shl i64 %v94, 32
  %v96 = or i64 %v93, %v95
  %v97 = bitcast i64 %v96 to double
  %v98 = call nnan double @llvm.maxnum.f64(double %v86, double %v97)
  %v99 = bitcast double %v98 to i64
  %v100 = lshr i64 %v99, 32
  %v101 = trunc i64 %v99 to i32
  %v102 = trunc i64 %v100 to i32
  %v103 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v101, i32 321, i32 15, i32 15, i1 true)
  %v104 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v102, i32 321, i32 15, i32 15, i1 true)
  %v105 = zext i32 %v103 to i64
  %v106 = zext i32 %v104 to i64
  %v107 = shl i64 %v106, 32
  %v108 = or i64 %v105, %v107
  %v109 = bitcast i64 %v108 to double
  %v110 = call nnan double @llvm.maxnum.f64(double %v98, double %v109)
  %v111 = bitcast double %v110 to i64
  %v112 = lshr i64 %v111, 32
  %v113 = trunc i64 %v111 to i32
  %v114 = trunc i64 %v112 to i32
  %v115 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v113, i32 296, i32 15, i32 15, i1 true)
  %v116 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v114, i32 296, i32 15, i32 15, i1 true)
  %v117 = zext i32 %v115 to i64
  %v118 = zext i32 %v116 to i64
  %v119 = shl i64 %v118, 32
  %v120 = or i64 %v117, %v119
  %v121 = bitcast i64 %v120 to double
  %v122 = call nnan double @llvm.maxnum.f64(double %v110, double %v121)
  %v123 = bitcast double %v122 to i64
  %v124 = lshr i64 %v123, 32
  %v125 = trunc i64 %v123 to i32
  %v126 = trunc i64 %v124 to i32
  %v127 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v125, i32 %v125, i32 322, i32 10, i32 15, i1 false)
  %v128 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v126, i32 %v126, i32 322, i32 10, i32 15, i1 false)
  %v129 = zext i32 %v127 to i64
  %v130 = zext i32 %v128 to i64
  %v131 = shl i64 %v130, 32
  %v132 = or i64 %v129, %v131
  %v133 = bitcast i64 %v132 to double
  %v134 = call nnan double @llvm.maxnum.f64(double %v122, double %v133)
  %v135 = bitcast double %v134 to i64
  %v136 = lshr i64 %v135, 32
  %v137 = trunc i64 %v135 to i32
  %v138 = trunc i64 %v136 to i32
  %v139 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v137, i32 %v137, i32 323, i32 12, i32 15, i1 false)
  %v140 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v138, i32 %v138, i32 323, i32 12, i32 15, i1 false)
  %v141 = zext i32 %v139 to i64
  %v142 = zext i32 %v140 to i64
  %v143 = shl i64 %v142, 32
  %v144 = or i64 %v141, %v143
  %v145 = bitcast i64 %v144 to double
  %v146 = call nnan double @llvm.maxnum.f64(double %v134, double %v145)
  %v147 = bitcast double %v146 to i64
  %v148 = lshr i64 %v147, 32
  %v149 = trunc i64 %v147 to i32
  %v150 = trunc i64 %v148 to i32
  %v151 = call i32 @llvm.amdgcn.readlane.i32(i32 %v149, i32 63)
  %v152 = call i32 @llvm.amdgcn.readlane.i32(i32 %v150, i32 63)
  %v153 = zext i32 %v151 to i64
  %v154 = zext i32 %v152 to i64
  %v155 = shl i64 %v154, 32
  %v156 = or i64 %v153, %v155
  %v157 = bitcast i64 %v156 to double
  %v158 = fcmp oeq double %v70, %v157
  %v159 = call i64 @llvm.amdgcn.ballot.i64(i1 %v158)
  %v160 = call i64 @llvm.ctpop.i64(i64 %v159)
  %v161 = icmp eq i64 %v160, 1
  br i1 %v161, label %then3, label %else5
then3:
  %v162 = call i64 @llvm.cttz.i64(i64 %v159, i1 true)
  %v163 = trunc i64 %v162 to i32
  %v164 = call i32 @llvm.amdgcn.readlane.i32(i32 %v74, i32 %v163)
  %v165 = bitcast double %v70 to i64
  %v166 = lshr i64 %v165, 32
  %v167 = trunc i64 %v165 to i32
  %v168 = trunc i64 %v166 to i32
  %v169 = call i32 @llvm.amdgcn.readlane.i32(i32 %v167, i32 %v163)
  %v170 = call i32 @llvm.amdgcn.readlane.i32(i32 %v168, i32 %v163)
  br label %after4
else5:
  %v171 = select i1 %v158, i32 %v74, i32 -1
  %v172 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v171, i32 177, i32 15, i32 15, i1 true)
  %v173 = call i32 @llvm.umin.i32(i32 %v171, i32 %v172)
  %v174 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v173, i32 78, i32 15, i32 15, i1 true)
  %v175 = call i32 @llvm.umin.i32(i32 %v173, i32 %v174)
  %v176 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v175, i32 321, i32 15, i32 15, i1 true)
  %v177 = call i32 @llvm.umin.i32(i32 %v175, i32 %v176)
  %v178 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v177, i32 296, i32 15, i32 15, i1 true)
  %v179 = call i32 @llvm.umin.i32(i32 %v177, i32 %v178)
  %v180 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v179, i32 %v179, i32 322, i32 10, i32 15, i1 false)
  %v181 = call i32 @llvm.umin.i32(i32 %v179, i32 %v180)
  %v182 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v181, i32 %v181, i32 323, i32 12, i32 15, i1 false)
  %v183 = call i32 @llvm.umin.i32(i32 %v181, i32 %v182)
  %v184 = call i32 @llvm.amdgcn.readlane.i32(i32 %v183, i32 63)
  %v185 = icmp eq i32 %v171, %v184
  %v186 = call i64 @llvm.amdgcn.ballot.i64(i1 %v185)
  %v187 = call i64 @llvm.cttz.i64(i64 %v186, i1 true)
  %v188 = trunc i64 %v187 to i32
  %v189 = call i32 @llvm.amdgcn.readlane.i32(i32 %v74, i32 %v188)
  %v190 = bitcast double %v70 to i64
  %v191 = lshr i64 %v190, 32
  %v192 = trunc i64 %v190 to i32
  %v193 = trunc i64 %v191 to i32
  %v194 = call i32 @llvm.amdgcn.readlane.i32(i32 %v192, i32 %v188)
  %v195 = call i32 @llvm.amdgcn.readlane.i32(i32 %v193, i32 %v188)
  br label %after4
after4:
  %v196 = phi i32 [ %v169, %then3 ], [ %v194, %else5 ]
  %v197 = phi i32 [ %v170, %then3 ], [ %v195, %else5 ]
  %v198 = phi i32 [ %v164, %then3 ], [ %v189, %else5 ]
  %v199 = icmp eq i32 %v2, 0
  %v200 = zext i32 %v196 to i64
  %v201 = zext i32 %v197 to i64
  %v202 = shl i64 %v201, 32
  %v203 = or i64 %v200, %v202
  %v204 = bitcast i64 %v203 to double
  %v205 = lshr i32 %v1, 6
  %v206 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v205)
  br i1 %v199, label %then6, label %after7
then6:
  %v207 = getelementptr [16 x i8], ptr addrspace(3) @partials_argmax_last_3x5000xf64_2_a8705a2825db4b15, i32 %v206
  %v208 = bitcast double %v204 to i64
  %v209 = lshr i64 %v208, 32
  %v210 = trunc i64 %v208 to i32
  %v211 = trunc i64 %v209 to i32
  %v212 = insertelement <4 x i32> poison, i32 %v210, i32 0
  %v213 = insertelement <4 x i32> %v212, i32 %v211, i32 1
  %v214 = insertelement <4 x i32> %v213, i32 %v198, i32 2
  store <4 x i32> %v214, ptr addrspace(3) %v207, align 16
  br label %after7
after7:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v215 = icmp ult i32 %v1, 2
  br i1 %v215, label %then8, label %after9
then8:
  %v216 = getelementptr [16 x i8], ptr addrspace(3) @partials_argmax_last_3x5000xf64_2_a8705a2825db4b15, i32 %v1
  %v217 = load <4 x i32>, ptr addrspace(3) %v216, align 16
  %v218 = extractelement <4 x i32> %v217, i32 0
  %v219 = extractelement <4 x i32> %v217, i32 1
  %v220 = extractelement <4 x i32> %v217, i32 2
  %v221 = zext i32 %v218 to i64
  %v222 = zext i32 %v219 to i64
  %v223 = shl i64 %v222, 32
  %v224 = or i64 %v221, %v223
  %v225 = bitcast i64 %v224 to double
  %v226 = bitcast double %v225 to i64
  %v227 = lshr i64 %v226, 32
  %v228 = trunc i64 %v226 to i32
  %v229 = trunc i64 %v227 to i32
  %v230 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v228, i32 177, i32 15, i32 15, i1 true)
  %v231 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v229, i32 177, i32 15, i32 15, i1 true)
  %v232 = zext i32 %v230 to i64
  %v233 = zext i32 %v231 to i64
  %v234 = shl i64 %v233, 32
  %v235 = or i64 %v232, %v234
  %v236 = bitcast i64 %v235 to double
  %v237 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v220, i32 177, i32 15, i32 15, i1 true)
  %v238 = fcmp ogt double %v236, %v225
  %v239 = fcmp oeq double %v236, %v225
  %v240 = icmp ult i32 %v237, %v220
  %v241 = and i1 %v239, %v240
  %v242 = or i1 %v238, %v241
  %v243 = select i1 %v242, double %v236, double %v225
  %v244 = select i1 %v242, i32 %v237, i32 %v220
  %v245 = and i32 %v1, 1
  %v246 = lshr i32 %v1, 1
  %v247 = icmp eq i32 %v245, 0
  br i1 %v247, label %then10, label %after11
then10:
  %v248 = shl i32 %v7, 6
  %v249 = zext i32 %v248 to i64
  %v250 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v249
  %v251 = zext i32 %v6 to i64
  %v252 = shl i64 %v251, 4
  %v253 = getelementptr i8, ptr addrspace(1) %v250, i64 %v252
  %v254 = bitcast double %v243 to i64
  %v255 = lshr i64 %v254, 32
  %v256 = trunc i64 %v254 to i32
  %v257 = trunc i64 %v255 to i32
  %v258 = insertelement <4 x i32> poison, i32 %v256, i32 0
  %v259 = insertelement <4 x i32> %v258, i32 %v257, i32 1
  %v260 = insertelement <4 x i32> %v259, i32 %v244, i32 2
  store <4 x i32> %v260, ptr addrspace(1) %v253, align 16
  br label %after11
after11:
  br label %after9
after9:
  %v261 = getelementptr i8, ptr addrspace(1) %workspace, i64 192
  %v262 = zext i32 %v7 to i64
  %v263 = shl i64 %v262, 2
  %v264 = getelementptr i8, ptr addrspace(1) %v261, i64 %v263
  fence syncscope("agent") release
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v265 = icmp eq i32 %v1, 0
  br i1 %v265, label %then12, label %after13
then12:
  %v266 = atomicrmw add ptr addrspace(1) %v264, i32 1 syncscope("agent") acq_rel
  store i32 %v266, ptr addrspace(3) @arrived_argmax_last_3x5000xf64_2_a8705a2825db4b15, align 4
  br label %after13
after13:
  %v267 = phi i32 [ 0, %after9 ], [ %v266, %then12 ]
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v268 = load i32, ptr addrspace(3) @arrived_argmax_last_3x5000xf64_2_a8705a2825db4b15, align 4
  %v269 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v268)
  %v270 = icmp eq i32 %v269, 3
  br i1 %v270, label %then14, label %after15
then14:
  fence syncscope("agent") acquire
  %v271 = icmp eq i32 %v1, 0
  br i1 %v271, label %then16, label %after17
then16:
  store i32 0, ptr addrspace(1) %v264, align 4
  br label %after17
after17:
  %v272 = icmp ult i32 %v1, 4
  br i1 %v272, label %then18, label %after19
then18:
  %v273 = and i32 %v1, 3
  %v274 = lshr i32 %v1, 2
  %v275 = shl i32 %v7, 6
  %v276 = zext i32 %v275 to i64
  %v277 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v276
  %v278 = zext i32 %v273 to i64
  %v279 = shl i64 %v278, 4
  %v280 = getelementptr i8, ptr addrspace(1) %v277, i64 %v279
  %v281 = load <4 x i32>, ptr addrspace(1) %v280, align 16
  %v282 = extractelement <4 x i32> %v281, i32 0
  %v283 = extractelement <4 x i32> %v281, i32 1
  %v284 = extractelement <4 x i32> %v281, i32 2
  %v285 = zext i32 %v282 to i64
  %v286 = zext i32 %v283 to i64
  %v287 = shl i64 %v286, 32
  %v288 = or i64 %v285, %v287
  %v289 = bitcast i64 %v288 to double
  %v290 = bitcast double %v289 to i64
  %v291 = lshr i64 %v290, 32
  %v292 = trunc i64 %v290 to i32
  %v293 = trunc i64 %v291 to i32
  %v294 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v292, i32 177, i32 15, i32 15, i1 true)
  %v295 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v293, i32 177, i32 15, i32 15, i1 true)
  %v296 = zext i32 %v294 to i64
  %v297 = zext i32 %v295 to i64
  %v298 = shl i64 %v297, 32
  %v299 = or i64 %v296, %v298
  %v300 = bitcast i64 %v299 to double
  %v301 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v284, i32 177, i32 15, i32 15, i1 true)
  %v302 = fcmp ogt double %v300, %v289
  %v303 = fcmp oeq double %v300, %v289
  %v304 = icmp ult i32 %v301, %v284
  %v305 = and i1 %v303, %v304
  %v306 = or i1 %v302, %v305
  %v307 = select i1 %v306, double %v300, double %v289
  %v308 = select i1 %v306, i32 %v301, i32 %v284
  %v309 = bitcast double %v307 to i64
  %v310 = lshr i64 %v309, 32
  %v311 = trunc i64 %v309 to i32
  %v312 = trunc i64 %v310 to i32
  %v313 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v311, i32 78, i32 15, i32 15, i1 true)
  %v314 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v312, i32 78, i32 15, i32 15, i1 true)
  %v315 = zext i32 %v313 to i64
  %v316 = zext i32 %v314 to i64
  %v317 = shl i64 %v316, 32
  %v318 = or i64 %v315, %v317
  %v319 = bitcast i64 %v318 to double
  %v320 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v308, i32 78, i32 15, i32 15, i1 true)
  %v321 = fcmp ogt double %v319, %v307
  %v322 = fcmp oeq double %v319, %v307
  %v323 = icmp ult i32 %v320, %v308
  %v324 = and i1 %v322, %v323
  %v325 = or i1 %v321, %v324
  %v326 = select i1 %v325, double %v319, double %v307
  %v327 = select i1 %v325, i32 %v320, i32 %v308
  %v328 = icmp eq i32 %v273, 0
  br i1 %v328, label %then20, label %after21
then20:
  %v329 = sub i32 -2, %v327
  %v330 = icmp ne i32 %v327, -1
  %v331 = zext i32 %v329 to i64
  %v332 = add i64 %v331, %base
  %v333 = select i1 %v330, i64 %v332, i64 0
  %v334 = shl i32 %v7, 3
  %v335 = zext i32 %v334 to i64
  %v336 = getelementptr i8, ptr addrspace(1) %values, i64 %v335
  store double %v326, ptr addrspace(1) %v336, align 8
  %v337 = shl i32 %v7, 3
  %v338 = zext i32 %v337 to i64
  %v339 = getelementptr i8, ptr addrspace(1) %indices, i64 %v338
  store i64 %v333, ptr addrspace(1) %v339, align 8
  br label %after21
after21:
  br label %after19
after19:
  br label %after15
after15:
  ret void
}

declare double @llvm.maxnum.f64(double, double)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.uadd.sat.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare void @llvm.amdgcn.s.barrier()

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="128,128" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 128, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
