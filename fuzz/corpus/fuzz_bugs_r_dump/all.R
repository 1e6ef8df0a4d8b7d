"a" <- c(1, NA, -2.5e1, 3L)  # values
`b.c` <- structure(1:6, .Dim = c(2, 3), .Dimnames = list(NULL, c("x", "y", "z")))
d = rep(TRUE, 2); ".RNG.seed" <- 5
