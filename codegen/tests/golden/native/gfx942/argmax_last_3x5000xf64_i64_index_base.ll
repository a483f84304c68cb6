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
  %v79 = call i32 asm "", "=v,0"(i32 %v78)
  %v80 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v77, i32 177, i32 15, i32 15, i1 true)
  %v81 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v79, i32 177, i32 15, i32 15, i1 true)
  %v82 = zext i32 %v77 to i64
  %v83 = zext i32 %v79 to i64
  %v84 = shl i64 %v83, 32
  %v85 = or i64 %v82, %v84
  %v86 = bitcast i64 %v85 to double
  %v87 = zext i32 %v80 to i64
  %v88 = zext i32 %v81 to i64
  %v89 = shl i64 %v88, 32
  %v90 = or i64 %v87, %v89
  %v91 = bitcast i64 %v90 to double
  %v92 = call nnan double @llvm.maxnum.f64(double %v86, double %v91)
  %v93 = bitcast double %v92 to i64
  %v94 = lshr i64 %v93, 32
  %v95 = trunc i64 %v93 to i32
  %v96 = trunc i64 %v94 to i32
  %v97 = call i32 asm "", "=v,0"(i32 %v96)
  %v98 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v95, i32 78, i32 15, i32 15, i1 true)
  %v99 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v97, i32 78, i32 15, i32 15, i1 true)
  %v100 = zext i32 %v95 to i64
  %v101 = zext i32 %v97 to i64
  %v102 = shl i64 %v101, 32
  %v103 = or i64 %v100, %v102
  %v104 = bitcast i64 %v103 to double
  %v105 = zext i32 %v98 to i64
  %v106 = zext i32 %v99 to i64
  %v107 = shl i64 %v106, 32
  %v108 = or i64 %v105, %v107
  %v109 = bitcast i64 %v108 to double
  %v110 = call nnan double @llvm.maxnum.f64(double %v104, double %v109)
  %v111 = bitcast double %v110 to i64
  %v112 = lshr i64 %v111, 32
  %v113 = trunc i64 %v111 to i32
  %v114 = trunc i64 %v112 to i32
  %v115 = call i32 asm "", "=v,0"(i32 %v114)
  %v116 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v113, i32 321, i32 15, i32 15, i1 true)
  %v117 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v115, i32 321, i32 15, i32 15, i1 true)
  %v118 = zext i32 %v113 to i64
  %v119 = zext i32 %v115 to i64
  %v120 = shl i64 %v119, 32
  %v121 = or i64 %v118, %v120
  %v122 = bitcast i64 %v121 to double
  %v123 = zext i32 %v116 to i64
  %v124 = zext i32 %v117 to i64
  %v125 = shl i64 %v124, 32
  %v126 = or i64 %v123, %v125
  %v127 = bitcast i64 %v126 to double
  %v128 = call nnan double @llvm.maxnum.f64(double %v122, double %v127)
  %v129 = bitcast double %v128 to i64
  %v130 = lshr i64 %v129, 32
  %v131 = trunc i64 %v129 to i32
  %v132 = trunc i64 %v130 to i32
  %v133 = call i32 asm "", "=v,0"(i32 %v132)
  %v134 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v131, i32 296, i32 15, i32 15, i1 true)
  %v135 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v133, i32 296, i32 15, i32 15, i1 true)
  %v136 = zext i32 %v131 to i64
  %v137 = zext i32 %v133 to i64
  %v138 = shl i64 %v137, 32
  %v139 = or i64 %v136, %v138
  %v140 = bitcast i64 %v139 to double
  %v141 = zext i32 %v134 to i64
  %v142 = zext i32 %v135 to i64
  %v143 = shl i64 %v142, 32
  %v144 = or i64 %v141, %v143
  %v145 = bitcast i64 %v144 to double
  %v146 = call nnan double @llvm.maxnum.f64(double %v140, double %v145)
  %v147 = bitcast double %v146 to i64
  %v148 = lshr i64 %v147, 32
  %v149 = trunc i64 %v147 to i32
  %v150 = trunc i64 %v148 to i32
  %v151 = call i32 asm "", "=v,0"(i32 %v150)
  %v152 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v149, i32 %v149, i32 322, i32 10, i32 15, i1 false)
  %v153 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v151, i32 %v151, i32 322, i32 10, i32 15, i1 false)
  %v154 = zext i32 %v149 to i64
  %v155 = zext i32 %v151 to i64
  %v156 = shl i64 %v155, 32
  %v157 = or i64 %v154, %v156
  %v158 = bitcast i64 %v157 to double
  %v159 = zext i32 %v152 to i64
  %v160 = zext i32 %v153 to i64
  %v161 = shl i64 %v160, 32
  %v162 = or i64 %v159, %v161
  %v163 = bitcast i64 %v162 to double
  %v164 = call nnan double @llvm.maxnum.f64(double %v158, double %v163)
  %v165 = bitcast double %v164 to i64
  %v166 = lshr i64 %v165, 32
  %v167 = trunc i64 %v165 to i32
  %v168 = trunc i64 %v166 to i32
  %v169 = call i32 asm "", "=v,0"(i32 %v168)
  %v170 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v167, i32 %v167, i32 323, i32 12, i32 15, i1 false)
  %v171 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v169, i32 %v169, i32 323, i32 12, i32 15, i1 false)
  %v172 = zext i32 %v167 to i64
  %v173 = zext i32 %v169 to i64
  %v174 = shl i64 %v173, 32
  %v175 = or i64 %v172, %v174
  %v176 = bitcast i64 %v175 to double
  %v177 = zext i32 %v170 to i64
  %v178 = zext i32 %v171 to i64
  %v179 = shl i64 %v178, 32
  %v180 = or i64 %v177, %v179
  %v181 = bitcast i64 %v180 to double
  %v182 = call nnan double @llvm.maxnum.f64(double %v176, double %v181)
  %v183 = bitcast double %v182 to i64
  %v184 = lshr i64 %v183, 32
  %v185 = trunc i64 %v183 to i32
  %v186 = trunc i64 %v184 to i32
  %v187 = call i32 asm "", "=v,0"(i32 %v186)
  %v188 = call i32 @llvm.amdgcn.readlane.i32(i32 %v185, i32 63)
  %v189 = call i32 @llvm.amdgcn.readlane.i32(i32 %v187, i32 63)
  %v190 = zext i32 %v188 to i64
  %v191 = zext i32 %v189 to i64
  %v192 = shl i64 %v191, 32
  %v193 = or i64 %v190, %v192
  %v194 = bitcast i64 %v193 to double
  %v195 = fcmp oeq double %v70, %v194
  %v196 = call i64 @llvm.amdgcn.ballot.i64(i1 %v195)
  %v197 = call i64 @llvm.ctpop.i64(i64 %v196)
  %v198 = icmp eq i64 %v197, 1
  br i1 %v198, label %then3, label %else5
then3:
  %v199 = call i64 @llvm.cttz.i64(i64 %v196, i1 true)
  %v200 = trunc i64 %v199 to i32
  %v201 = call i32 @llvm.amdgcn.readlane.i32(i32 %v74, i32 %v200)
  %v202 = bitcast double %v70 to i64
  %v203 = lshr i64 %v202, 32
  %v204 = trunc i64 %v202 to i32
  %v205 = trunc i64 %v203 to i32
  %v206 = call i32 asm "", "=v,0"(i32 %v205)
  %v207 = call i32 @llvm.amdgcn.readlane.i32(i32 %v204, i32 %v200)
  %v208 = call i32 @llvm.amdgcn.readlane.i32(i32 %v206, i32 %v200)
  br label %after4
else5:
  %v209 = select i1 %v195, i32 %v74, i32 -1
  %v210 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v209, i32 177, i32 15, i32 15, i1 true)
  %v211 = call i32 @llvm.umin.i32(i32 %v209, i32 %v210)
  %v212 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v211, i32 78, i32 15, i32 15, i1 true)
  %v213 = call i32 @llvm.umin.i32(i32 %v211, i32 %v212)
  %v214 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v213, i32 321, i32 15, i32 15, i1 true)
  %v215 = call i32 @llvm.umin.i32(i32 %v213, i32 %v214)
  %v216 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v215, i32 296, i32 15, i32 15, i1 true)
  %v217 = call i32 @llvm.umin.i32(i32 %v215, i32 %v216)
  %v218 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v217, i32 %v217, i32 322, i32 10, i32 15, i1 false)
  %v219 = call i32 @llvm.umin.i32(i32 %v217, i32 %v218)
  %v220 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v219, i32 %v219, i32 323, i32 12, i32 15, i1 false)
  %v221 = call i32 @llvm.umin.i32(i32 %v219, i32 %v220)
  %v222 = call i32 @llvm.amdgcn.readlane.i32(i32 %v221, i32 63)
  %v223 = icmp eq i32 %v209, %v222
  %v224 = call i64 @llvm.amdgcn.ballot.i64(i1 %v223)
  %v225 = call i64 @llvm.cttz.i64(i64 %v224, i1 true)
  %v226 = trunc i64 %v225 to i32
  %v227 = call i32 @llvm.amdgcn.readlane.i32(i32 %v74, i32 %v226)
  %v228 = bitcast double %v70 to i64
  %v229 = lshr i64 %v228, 32
  %v230 = trunc i64 %v228 to i32
  %v231 = trunc i64 %v229 to i32
  %v232 = call i32 asm "", "=v,0"(i32 %v231)
  %v233 = call i32 @llvm.amdgcn.readlane.i32(i32 %v230, i32 %v226)
  %v234 = call i32 @llvm.amdgcn.readlane.i32(i32 %v232, i32 %v226)
  br label %after4
after4:
  %v235 = phi i32 [ %v207, %then3 ], [ %v233, %else5 ]
  %v236 = phi i32 [ %v208, %then3 ], [ %v234, %else5 ]
  %v237 = phi i32 [ %v201, %then3 ], [ %v227, %else5 ]
  %v238 = icmp eq i32 %v2, 0
  %v239 = zext i32 %v235 to i64
  %v240 = zext i32 %v236 to i64
  %v241 = shl i64 %v240, 32
  %v242 = or i64 %v239, %v241
  %v243 = bitcast i64 %v242 to double
  %v244 = lshr i32 %v1, 6
  %v245 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v244)
  br i1 %v238, label %then6, label %after7
then6:
  %v246 = getelementptr [16 x i8], ptr addrspace(3) @partials_argmax_last_3x5000xf64_2_a8705a2825db4b15, i32 %v245
  %v247 = bitcast double %v243 to i64
  %v248 = lshr i64 %v247, 32
  %v249 = trunc i64 %v247 to i32
  %v250 = trunc i64 %v248 to i32
  %v251 = call i32 asm "", "=v,0"(i32 %v250)
  %v252 = insertelement <4 x i32> poison, i32 %v249, i32 0
  %v253 = insertelement <4 x i32> %v252, i32 %v251, i32 1
  %v254 = insertelement <4 x i32> %v253, i32 %v237, i32 2
  store <4 x i32> %v254, ptr addrspace(3) %v246, align 16
  br label %after7
after7:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v255 = icmp ult i32 %v1, 2
  br i1 %v255, label %then8, label %after9
then8:
  %v256 = getelementptr [16 x i8], ptr addrspace(3) @partials_argmax_last_3x5000xf64_2_a8705a2825db4b15, i32 %v1
  %v257 = load <4 x i32>, ptr addrspace(3) %v256, align 16
  %v258 = extractelement <4 x i32> %v257, i32 0
  %v259 = extractelement <4 x i32> %v257, i32 1
  %v260 = extractelement <4 x i32> %v257, i32 2
  %v261 = zext i32 %v258 to i64
  %v262 = zext i32 %v259 to i64
  %v263 = shl i64 %v262, 32
  %v264 = or i64 %v261, %v263
  %v265 = bitcast i64 %v264 to double
  %v266 = bitcast double %v265 to i64
  %v267 = lshr i64 %v266, 32
  %v268 = trunc i64 %v266 to i32
  %v269 = trunc i64 %v267 to i32
  %v270 = call i32 asm "", "=v,0"(i32 %v269)
  %v271 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v268, i32 177, i32 15, i32 15, i1 true)
  %v272 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v270, i32 177, i32 15, i32 15, i1 true)
  %v273 = zext i32 %v268 to i64
  %v274 = zext i32 %v270 to i64
  %v275 = shl i64 %v274, 32
  %v276 = or i64 %v273, %v275
  %v277 = bitcast i64 %v276 to double
  %v278 = zext i32 %v271 to i64
  %v279 = zext i32 %v272 to i64
  %v280 = shl i64 %v279, 32
  %v281 = or i64 %v278, %v280
  %v282 = bitcast i64 %v281 to double
  %v283 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v260, i32 177, i32 15, i32 15, i1 true)
  %v284 = fcmp ogt double %v282, %v277
  %v285 = fcmp oeq double %v282, %v277
  %v286 = icmp ult i32 %v283, %v260
  %v287 = and i1 %v285, %v286
  %v288 = or i1 %v284, %v287
  %v289 = select i1 %v288, double %v282, double %v277
  %v290 = select i1 %v288, i32 %v283, i32 %v260
  %v291 = and i32 %v1, 1
  %v292 = lshr i32 %v1, 1
  %v293 = icmp eq i32 %v291, 0
  br i1 %v293, label %then10, label %after11
then10:
  %v294 = shl i32 %v7, 6
  %v295 = zext i32 %v294 to i64
  %v296 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v295
  %v297 = zext i32 %v6 to i64
  %v298 = shl i64 %v297, 4
  %v299 = getelementptr i8, ptr addrspace(1) %v296, i64 %v298
  %v300 = bitcast double %v289 to i64
  %v301 = lshr i64 %v300, 32
  %v302 = trunc i64 %v300 to i32
  %v303 = trunc i64 %v301 to i32
  %v304 = call i32 asm "", "=v,0"(i32 %v303)
  %v305 = insertelement <4 x i32> poison, i32 %v302, i32 0
  %v306 = insertelement <4 x i32> %v305, i32 %v304, i32 1
  %v307 = insertelement <4 x i32> %v306, i32 %v290, i32 2
  store <4 x i32> %v307, ptr addrspace(1) %v299, align 16
  br label %after11
after11:
  br label %after9
after9:
  %v308 = getelementptr i8, ptr addrspace(1) %workspace, i64 192
  %v309 = zext i32 %v7 to i64
  %v310 = shl i64 %v309, 2
  %v311 = getelementptr i8, ptr addrspace(1) %v308, i64 %v310
  fence syncscope("agent") release
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v312 = icmp eq i32 %v1, 0
  br i1 %v312, label %then12, label %after13
then12:
  %v313 = atomicrmw add ptr addrspace(1) %v311, i32 1 syncscope("agent") acq_rel
  store i32 %v313, ptr addrspace(3) @arrived_argmax_last_3x5000xf64_2_a8705a2825db4b15, align 4
  br label %after13
after13:
  %v314 = phi i32 [ 0, %after9 ], [ %v313, %then12 ]
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v315 = load i32, ptr addrspace(3) @arrived_argmax_last_3x5000xf64_2_a8705a2825db4b15, align 4
  %v316 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v315)
  %v317 = icmp eq i32 %v316, 3
  br i1 %v317, label %then14, label %after15
then14:
  fence syncscope("agent") acquire
  %v318 = icmp eq i32 %v1, 0
  br i1 %v318, label %then16, label %after17
then16:
  store i32 0, ptr addrspace(1) %v311, align 4
  br label %after17
after17:
  %v319 = icmp ult i32 %v1, 4
  br i1 %v319, label %then18, label %after19
then18:
  %v320 = and i32 %v1, 3
  %v321 = lshr i32 %v1, 2
  %v322 = shl i32 %v7, 6
  %v323 = zext i32 %v322 to i64
  %v324 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v323
  %v325 = zext i32 %v320 to i64
  %v326 = shl i64 %v325, 4
  %v327 = getelementptr i8, ptr addrspace(1) %v324, i64 %v326
  %v328 = load <4 x i32>, ptr addrspace(1) %v327, align 16
  %v329 = extractelement <4 x i32> %v328, i32 0
  %v330 = extractelement <4 x i32> %v328, i32 1
  %v331 = extractelement <4 x i32> %v328, i32 2
  %v332 = zext i32 %v329 to i64
  %v333 = zext i32 %v330 to i64
  %v334 = shl i64 %v333, 32
  %v335 = or i64 %v332, %v334
  %v336 = bitcast i64 %v335 to double
  %v337 = bitcast double %v336 to i64
  %v338 = lshr i64 %v337, 32
  %v339 = trunc i64 %v337 to i32
  %v340 = trunc i64 %v338 to i32
  %v341 = call i32 asm "", "=v,0"(i32 %v340)
  %v342 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v339, i32 177, i32 15, i32 15, i1 true)
  %v343 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v341, i32 177, i32 15, i32 15, i1 true)
  %v344 = zext i32 %v339 to i64
  %v345 = zext i32 %v341 to i64
  %v346 = shl i64 %v345, 32
  %v347 = or i64 %v344, %v346
  %v348 = bitcast i64 %v347 to double
  %v349 = zext i32 %v342 to i64
  %v350 = zext i32 %v343 to i64
  %v351 = shl i64 %v350, 32
  %v352 = or i64 %v349, %v351
  %v353 = bitcast i64 %v352 to double
  %v354 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v331, i32 177, i32 15, i32 15, i1 true)
  %v355 = fcmp ogt double %v353, %v348
  %v356 = fcmp oeq double %v353, %v348
  %v357 = icmp ult i32 %v354, %v331
  %v358 = and i1 %v356, %v357
  %v359 = or i1 %v355, %v358
  %v360 = select i1 %v359, double %v353, double %v348
  %v361 = select i1 %v359, i32 %v354, i32 %v331
  %v362 = bitcast double %v360 to i64
  %v363 = lshr i64 %v362, 32
  %v364 = trunc i64 %v362 to i32
  %v365 = trunc i64 %v363 to i32
  %v366 = call i32 asm "", "=v,0"(i32 %v365)
  %v367 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v364, i32 78, i32 15, i32 15, i1 true)
  %v368 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v366, i32 78, i32 15, i32 15, i1 true)
  %v369 = zext i32 %v364 to i64
  %v370 = zext i32 %v366 to i64
  %v371 = shl i64 %v370, 32
  %v372 = or i64 %v369, %v371
  %v373 = bitcast i64 %v372 to double
  %v374 = zext i32 %v367 to i64
  %v375 = zext i32 %v368 to i64
  %v376 = shl i64 %v375, 32
  %v377 = or i64 %v374, %v376
  %v378 = bitcast i64 %v377 to double
  %v379 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v361, i32 78, i32 15, i32 15, i1 true)
  %v380 = fcmp ogt double %v378, %v373
  %v381 = fcmp oeq double %v378, %v373
  %v382 = icmp ult i32 %v379, %v361
  %v383 = and i1 %v381, %v382
  %v384 = or i1 %v380, %v383
  %v385 = select i1 %v384, double %v378, double %v373
  %v386 = select i1 %v384, i32 %v379, i32 %v361
  %v387 = icmp eq i32 %v320, 0
  br i1 %v387, label %then20, label %after21
then20:
  %v388 = sub i32 -2, %v386
  %v389 = icmp ne i32 %v386, -1
  %v390 = zext i32 %v388 to i64
  %v391 = add i64 %v390, %base
  %v392 = select i1 %v389, i64 %v391, i64 0
  %v393 = shl i32 %v7, 3
  %v394 = zext i32 %v393 to i64
  %v395 = getelementptr i8, ptr addrspace(1) %values, i64 %v394
  store double %v385, ptr addrspace(1) %v395, align 8
  %v396 = shl i32 %v7, 3
  %v397 = zext i32 %v396 to i64
  %v398 = getelementptr i8, ptr addrspace(1) %indices, i64 %v397
  store i64 %v392, ptr addrspace(1) %v398, align 8
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
