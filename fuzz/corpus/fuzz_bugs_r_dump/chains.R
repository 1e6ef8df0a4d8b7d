list(list(a = 1, b = as.integer(c(1, 2))), list(a = -Inf))
