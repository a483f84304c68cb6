target triple = "amdgcn-amd-amdhsa"

@partials_argmax_last_3x5000xf64_5206aadf6a8ebd06 = internal addrspace(3) global [32 x i8] poison, align 16

@arrived_argmax_last_3x5000xf64_5206aadf6a8ebd06 = internal addrspace(3) global [4 x i8] poison, align 16

define protected amdgpu_kernel void @argmax_last_3x5000xf64_5206aadf6a8ebd06(ptr addrspace(1) inreg noalias readonly %input, ptr addrspace(1) inreg noalias %values, ptr addrspace(1) inreg noalias %indices, i64 inreg %base, ptr addrspace(1) inreg %workspace) #0 !reqd_work_group_size !0 {
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
  br label %step1
step1:
  %v22 = phi i32 [ 0, %entry ], [ %v51, %step1 ]
  %v23 = phi ptr addrspace(1) [ %v21, %entry ], [ %v52, %step1 ]
  %v24 = phi double [ 0xFFF0000000000000, %entry ], [ %v47, %step1 ]
  %v25 = phi i32 [ -1, %entry ], [ %v49, %step1 ]
  %v26 = phi double [ 0xFFF0000000000000, %entry ], [ %v48, %step1 ]
  %v27 = phi i32 [ -1, %entry ], [ %v50, %step1 ]
  %v28 = zext i32 %v20 to i64
  %v29 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v23)
  %v30 = getelementptr i8, ptr addrspace(1) %v29, i64 %v28
  %v31 = load <2 x double>, ptr addrspace(1) %v30, align 8
  %v32 = getelementptr i8, ptr addrspace(1) %v30, i64 1024
  %v33 = load <2 x double>, ptr addrspace(1) %v32, align 8
  %v34 = add i32 %v22, 128
  %v35 = extractelement <2 x double> %v31, i32 0
  %v36 = extractelement <2 x double> %v31, i32 1
  %v37 = fcmp oge double %v35, %v24
  %v38 = fcmp oge double %v36, %v26
  %v39 = select i1 %v37, double %v35, double %v24
  %v40 = select i1 %v38, double %v36, double %v26
  %v41 = select i1 %v37, i32 %v22, i32 %v25
  %v42 = select i1 %v38, i32 %v22, i32 %v27
  %v43 = extractelement <2 x double> %v33, i32 0
  %v44 = extractelement <2 x double> %v33, i32 1
  %v45 = fcmp oge double %v43, %v39
  %v46 = fcmp oge double %v44, %v40
  %v47 = select i1 %v45, double %v43, double %v39
  %v48 = select i1 %v46, double %v44, double %v40
  %v49 = select i1 %v45, i32 %v34, i32 %v41
  %v50 = select i1 %v46, i32 %v34, i32 %v42
  %v51 = add i32 %v22, 512
  %v52 = getelementptr i8, ptr addrspace(1) %v23, i64 4096
  %v53 = icmp ult i32 %v22, 1024
  br i1 %v53, label %step1, label %reduced2
reduced2:
  %v54 = sub i32 -2, %v49
  %v55 = call i32 @llvm.uadd.sat.i32(i32 %v50, i32 1)
  %v56 = sub i32 -2, %v55
  %v57 = fcmp ogt double %v48, %v47
  %v58 = fcmp oeq double %v48, %v47
  %v59 = icmp ult i32 %v56, %v54
  %v60 = and i1 %v58, %v59
  %v61 = or i1 %v57, %v60
  %v62 = select i1 %v61, double %v48, double %v47
  %v63 = select i1 %v61, i32 %v56, i32 %v54
  %v64 = sub i32 -2, %v63
  %v65 = call i32 @llvm.uadd.sat.i32(i32 %v64, i32 %v13)
  %v66 = sub i32 -2, %v65
  %v67 = bitcast double %v62 to i64
  %v68 = lshr i64 %v67, 32
  %v69 = trunc i64 %v67 to i32
  %v70 = trunc i64 %v68 to i32
  %v71 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v69, i32 177, i32 15, i32 15, i1 true)
  %v72 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v70, i32 177, i32 15, i32 15, i1 true)
  %v73 = zext i32 %v71 to i64
  %v74 = zext i32 %v72 to i64
  %v75 = shl i64 %v74, 32
  %v76 = or i64 %v73, %v75
  %v77 = bitcast i64 %v76 to double
  %v78 = call nnan double @llvm.maxnum.f64(double %v62, double %v77)
  %v79 = bitcast double %v78 to i64
  %v80 = lshr i64 %v79, 32
  %v81 = trunc i64 %v79 to i32
  %v82 = trunc i64 %v80 to i32
  %v83 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v81, i32 78, i32 15, i32 15, i1 true)
  %v84 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v82, i32 78, i32 15, i32 15, i1 true)
  %v85 = zext i32 %v83 to i64
  %v86 = zext i32 %v84 to i64
  %v87 = shl i64 %v86, 32
  %v88 = or i64 %v85, %v87
  %v89 = bitcast i64 %v88 to double
  %v90 = call nnan double @llvm.maxnum.f64(double %v78, double %v89)
  %v91 = bitcast double %v90 to i64
  %v92 = lshr i64 %v91, 32
  %v93 = trunc i64 %v91 to i32
  %v94 = trunc i64 %v92 to i32
  %v95 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v93, i32 321, i32 15, i32 15, i1 true)
  %v96 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v94, i32 321, i32 15, i32 15, i1 true)
  %v97 = zext i32 %v95 to i64
  %v98 = zext i32 %v96 to i64
  %v99 = shl i64 %v98, 32
  %v100 = or i64 %v97, %v99
  %v101 = bitcast i64 %v100 to double
  %v102 = call nnan double @llvm.maxnum.f64(double %v90, double %v101)
  %v103 = bitcast double %v102 to i64
  %v104 = lshr i64 %v103, 32
  %v105 = trunc i64 %v103 to i32
  %v106 = trunc i64 %v104 to i32
  %v107 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v105, i32 296, i32 15, i32 15, i1 true)
  %v108 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v106, i32 296, i32 15, i32 15, i1 true)
  %v109 = zext i32 %v107 to i64
  %v110 = zext i32 %v108 to i64
  %v111 = shl i64 %v110, 32
  %v112 = or i64 %v109, %v111
  %v113 = bitcast i64 %v112 to double
  %v114 = call nnan double @llvm.maxnum.f64(double %v102, double %v113)
  %v115 = bitcast double %v114 to i64
  %v116 = lshr i64 %v115, 32
  %v117 = trunc i64 %v115 to i32
  %v118 = trunc i64 %v116 to i32
  %v119 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v117, i32 %v117, i32 322, i32 10, i32 15, i1 false)
  %v120 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v118, i32 %v118, i32 322, i32 10, i32 15, i1 false)
  %v121 = zext i32 %v119 to i64
  %v122 = zext i32 %v120 to i64
  %v123 = shl i64 %v122, 32
  %v124 = or i64 %v121, %v123
  %v125 = bitcast i64 %v124 to double
  %v126 = call nnan double @llvm.maxnum.f64(double %v114, double %v125)
  %v127 = bitcast double %v126 to i64
  %v128 = lshr i64 %v127, 32
  %v129 = trunc i64 %v127 to i32
  %v130 = trunc i64 %v128 to i32
  %v131 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v129, i32 %v129, i32 323, i32 12, i32 15, i1 false)
  %v132 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v130, i32 %v130, i32 323, i32 12, i32 15, i1 false)
  %v133 = zext i32 %v131 to i64
  %v134 = zext i32 %v132 to i64
  %v135 = shl i64 %v134, 32
  %v136 = or i64 %v133, %v135
  %v137 = bitcast i64 %v136 to double
  %v138 = call nnan double @llvm.maxnum.f64(double %v126, double %v137)
  %v139 = bitcast double %v138 to i64
  %v140 = lshr i64 %v139, 32
  %v141 = trunc i64 %v139 to i32
  %v142 = trunc i64 %v140 to i32
  %v143 = call i32 @llvm.amdgcn.readlane.i32(i32 %v141, i32 63)
  %v144 = call i32 @llvm.amdgcn.readlane.i32(i32 %v142, i32 63)
  %v145 = zext i32 %v143 to i64
  %v146 = zext i32 %v144 to i64
  %v147 = shl i64 %v146, 32
  %v148 = or i64 %v145, %v147
  %v149 = bitcast i64 %v148 to double
  %v150 = fcmp oeq double %v62, %v149
  %v151 = call i64 @llvm.amdgcn.ballot.i64(i1 %v150)
  %v152 = call i64 @llvm.ctpop.i64(i64 %v151)
  %v153 = icmp eq i64 %v152, 1
  br i1 %v153, label %one3, label %several4
one3:
  %v154 = call i64 @llvm.cttz.i64(i64 %v151, i1 true)
  %v155 = trunc i64 %v154 to i32
  %v156 = call i32 @llvm.amdgcn.readlane.i32(i32 %v66, i32 %v155)
  %v157 = bitcast double %v62 to i64
  %v158 = lshr i64 %v157, 32
  %v159 = trunc i64 %v157 to i32
  %v160 = trunc i64 %v158 to i32
  %v161 = call i32 @llvm.amdgcn.readlane.i32(i32 %v159, i32 %v155)
  %v162 = call i32 @llvm.amdgcn.readlane.i32(i32 %v160, i32 %v155)
  br label %both5
several4:
  %v163 = select i1 %v150, i32 %v66, i32 -1
  %v164 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v163, i32 177, i32 15, i32 15, i1 true)
  %v165 = call i32 @llvm.umin.i32(i32 %v163, i32 %v164)
  %v166 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v165, i32 78, i32 15, i32 15, i1 true)
  %v167 = call i32 @llvm.umin.i32(i32 %v165, i32 %v166)
  %v168 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v167, i32 321, i32 15, i32 15, i1 true)
  %v169 = call i32 @llvm.umin.i32(i32 %v167, i32 %v168)
  %v170 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v169, i32 296, i32 15, i32 15, i1 true)
  %v171 = call i32 @llvm.umin.i32(i32 %v169, i32 %v170)
  %v172 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v171, i32 %v171, i32 322, i32 10, i32 15, i1 false)
  %v173 = call i32 @llvm.umin.i32(i32 %v171, i32 %v172)
  %v174 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %v173, i32 %v173, i32 323, i32 12, i32 15, i1 false)
  %v175 = call i32 @llvm.umin.i32(i32 %v173, i32 %v174)
  %v176 = call i32 @llvm.amdgcn.readlane.i32(i32 %v175, i32 63)
  %v177 = icmp eq i32 %v163, %v176
  %v178 = call i64 @llvm.amdgcn.ballot.i64(i1 %v177)
  %v179 = call i64 @llvm.cttz.i64(i64 %v178, i1 true)
  %v180 = trunc i64 %v179 to i32
  %v181 = call i32 @llvm.amdgcn.readlane.i32(i32 %v66, i32 %v180)
  %v182 = bitcast double %v62 to i64
  %v183 = lshr i64 %v182, 32
  %v184 = trunc i64 %v182 to i32
  %v185 = trunc i64 %v183 to i32
  %v186 = call i32 @llvm.amdgcn.readlane.i32(i32 %v184, i32 %v180)
  %v187 = call i32 @llvm.amdgcn.readlane.i32(i32 %v185, i32 %v180)
  br label %both5
both5:
  %v188 = phi i32 [ %v161, %one3 ], [ %v186, %several4 ]
  %v189 = phi i32 [ %v162, %one3 ], [ %v187, %several4 ]
  %v190 = phi i32 [ %v156, %one3 ], [ %v181, %several4 ]
  %v191 = icmp eq i32 %v2, 0
  %v192 = zext i32 %v188 to i64
  %v193 = zext i32 %v189 to i64
  %v194 = shl i64 %v193, 32
  %v195 = or i64 %v192, %v194
  %v196 = bitcast i64 %v195 to double
  %v197 = lshr i32 %v1, 6
  %v198 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v197)
  br i1 %v191, label %guarded6, label %after7
guarded6:
  %v199 = getelementptr [16 x i8], ptr addrspace(3) @partials_argmax_last_3x5000xf64_5206aadf6a8ebd06, i32 %v198
  %v200 = bitcast double %v196 to i64
  %v201 = lshr i64 %v200, 32
  %v202 = trunc i64 %v200 to i32
  %v203 = trunc i64 %v201 to i32
  %v204 = insertelement <4 x i32> poison, i32 %v202, i32 0
  %v205 = insertelement <4 x i32> %v204, i32 %v203, i32 1
  %v206 = insertelement <4 x i32> %v205, i32 %v190, i32 2
  store <4 x i32> %v206, ptr addrspace(3) %v199, align 16
  br label %after7
after7:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v207 = icmp ult i32 %v1, 2
  br i1 %v207, label %guarded8, label %after9
guarded8:
  %v208 = getelementptr [16 x i8], ptr addrspace(3) @partials_argmax_last_3x5000xf64_5206aadf6a8ebd06, i32 %v1
  %v209 = load <4 x i32>, ptr addrspace(3) %v208, align 16
  %v210 = extractelement <4 x i32> %v209, i32 0
  %v211 = extractelement <4 x i32> %v209, i32 1
  %v212 = extractelement <4 x i32> %v209, i32 2
  %v213 = zext i32 %v210 to i64
  %v214 = zext i32 %v211 to i64
  %v215 = shl i64 %v214, 32
  %v216 = or i64 %v213, %v215
  %v217 = bitcast i64 %v216 to double
  %v218 = bitcast double %v217 to i64
  %v219 = lshr i64 %v218, 32
  %v220 = trunc i64 %v218 to i32
  %v221 = trunc i64 %v219 to i32
  %v222 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v220, i32 177, i32 15, i32 15, i1 true)
  %v223 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v221, i32 177, i32 15, i32 15, i1 true)
  %v224 = zext i32 %v222 to i64
  %v225 = zext i32 %v223 to i64
  %v226 = shl i64 %v225, 32
  %v227 = or i64 %v224, %v226
  %v228 = bitcast i64 %v227 to double
  %v229 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v212, i32 177, i32 15, i32 15, i1 true)
  %v230 = fcmp ogt double %v228, %v217
  %v231 = fcmp oeq double %v228, %v217
  %v232 = icmp ult i32 %v229, %v212
  %v233 = and i1 %v231, %v232
  %v234 = or i1 %v230, %v233
  %v235 = select i1 %v234, double %v228, double %v217
  %v236 = select i1 %v234, i32 %v229, i32 %v212
  %v237 = and i32 %v1, 1
  %v238 = lshr i32 %v1, 1
  %v239 = icmp eq i32 %v237, 0
  br i1 %v239, label %guarded10, label %after11
guarded10:
  %v240 = shl i32 %v7, 6
  %v241 = zext i32 %v240 to i64
  %v242 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v241
  %v243 = zext i32 %v6 to i64
  %v244 = shl i64 %v243, 4
  %v245 = getelementptr i8, ptr addrspace(1) %v242, i64 %v244
  %v246 = bitcast double %v235 to i64
  %v247 = lshr i64 %v246, 32
  %v248 = trunc i64 %v246 to i32
  %v249 = trunc i64 %v247 to i32
  %v250 = insertelement <4 x i32> poison, i32 %v248, i32 0
  %v251 = insertelement <4 x i32> %v250, i32 %v249, i32 1
  %v252 = insertelement <4 x i32> %v251, i32 %v236, i32 2
  store <4 x i32> %v252, ptr addrspace(1) %v245, align 16
  br label %after11
after11:
  br label %after9
after9:
  %v253 = getelementptr i8, ptr addrspace(1) %workspace, i64 192
  %v254 = zext i32 %v7 to i64
  %v255 = shl i64 %v254, 2
  %v256 = getelementptr i8, ptr addrspace(1) %v253, i64 %v255
  fence syncscope("agent") release
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v257 = icmp eq i32 %v1, 0
  br i1 %v257, label %guarded12, label %after13
guarded12:
  %v258 = atomicrmw add ptr addrspace(1) %v256, i32 1 syncscope("agent") acq_rel
  store i32 %v258, ptr addrspace(3) @arrived_argmax_last_3x5000xf64_5206aadf6a8ebd06, align 4
  br label %after13
after13:
  %v259 = phi i32 [ 0, %after9 ], [ %v258, %guarded12 ]
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v260 = load i32, ptr addrspace(3) @arrived_argmax_last_3x5000xf64_5206aadf6a8ebd06, align 4
  %v261 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v260)
  %v262 = icmp eq i32 %v261, 3
  br i1 %v262, label %guarded14, label %after15
guarded14:
  fence syncscope("agent") acquire
  %v263 = icmp eq i32 %v1, 0
  br i1 %v263, label %guarded16, label %after17
guarded16:
  store i32 0, ptr addrspace(1) %v256, align 4
  br label %after17
after17:
  %v264 = icmp ult i32 %v1, 4
  br i1 %v264, label %guarded18, label %after19
guarded18:
  %v265 = and i32 %v1, 3
  %v266 = lshr i32 %v1, 2
  %v267 = shl i32 %v7, 6
  %v268 = zext i32 %v267 to i64
  %v269 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v268
  %v270 = zext i32 %v265 to i64
  %v271 = shl i64 %v270, 4
  %v272 = getelementptr i8, ptr addrspace(1) %v269, i64 %v271
  %v273 = load <4 x i32>, ptr addrspace(1) %v272, align 16
  %v274 = extractelement <4 x i32> %v273, i32 0
  %v275 = extractelement <4 x i32> %v273, i32 1
  %v276 = extractelement <4 x i32> %v273, i32 2
  %v277 = zext i32 %v274 to i64
  %v278 = zext i32 %v275 to i64
  %v279 = shl i64 %v278, 32
  %v280 = or i64 %v277, %v279
  %v281 = bitcast i64 %v280 to double
  %v282 = bitcast double %v281 to i64
  %v283 = lshr i64 %v282, 32
  %v284 = trunc i64 %v282 to i32
  %v285 = trunc i64 %v283 to i32
  %v286 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v284, i32 177, i32 15, i32 15, i1 true)
  %v287 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v285, i32 177, i32 15, i32 15, i1 true)
  %v288 = zext i32 %v286 to i64
  %v289 = zext i32 %v287 to i64
  %v290 = shl i64 %v289, 32
  %v291 = or i64 %v288, %v290
  %v292 = bitcast i64 %v291 to double
  %v293 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v276, i32 177, i32 15, i32 15, i1 true)
  %v294 = fcmp ogt double %v292, %v281
  %v295 = fcmp oeq double %v292, %v281
  %v296 = icmp ult i32 %v293, %v276
  %v297 = and i1 %v295, %v296
  %v298 = or i1 %v294, %v297
  %v299 = select i1 %v298, double %v292, double %v281
  %v300 = select i1 %v298, i32 %v293, i32 %v276
  %v301 = bitcast double %v299 to i64
  %v302 = lshr i64 %v301, 32
  %v303 = trunc i64 %v301 to i32
  %v304 = trunc i64 %v302 to i32
  %v305 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v303, i32 78, i32 15, i32 15, i1 true)
  %v306 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v304, i32 78, i32 15, i32 15, i1 true)
  %v307 = zext i32 %v305 to i64
  %v308 = zext i32 %v306 to i64
  %v309 = shl i64 %v308, 32
  %v310 = or i64 %v307, %v309
  %v311 = bitcast i64 %v310 to double
  %v312 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v300, i32 78, i32 15, i32 15, i1 true)
  %v313 = fcmp ogt double %v311, %v299
  %v314 = fcmp oeq double %v311, %v299
  %v315 = icmp ult i32 %v312, %v300
  %v316 = and i1 %v314, %v315
  %v317 = or i1 %v313, %v316
  %v318 = select i1 %v317, double %v311, double %v299
  %v319 = select i1 %v317, i32 %v312, i32 %v300
  %v320 = icmp eq i32 %v265, 0
  br i1 %v320, label %guarded20, label %after21
guarded20:
  %v321 = sub i32 -2, %v319
  %v322 = icmp ne i32 %v319, -1
  %v323 = zext i32 %v321 to i64
  %v324 = add i64 %v323, %base
  %v325 = select i1 %v322, i64 %v324, i64 0
  %v326 = shl i32 %v7, 3
  %v327 = zext i32 %v326 to i64
  %v328 = getelementptr i8, ptr addrspace(1) %values, i64 %v327
  store double %v318, ptr addrspace(1) %v328, align 8
  %v329 = shl i32 %v7, 3
  %v330 = zext i32 %v329 to i64
  %v331 = getelementptr i8, ptr addrspace(1) %indices, i64 %v330
  store i64 %v325, ptr addrspace(1) %v331, align 8
  br label %after21
after21:
  br label %after19
after19:
  br label %after15
after15:
  ret void
}

declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare double @llvm.maxnum.f64(double, double)
declare i32 @llvm.uadd.sat.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="128,128" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 128, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
