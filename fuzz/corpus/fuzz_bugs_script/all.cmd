/* a comment */ model in "m.bug"
data in d.R
load glm; compile, nchains(2)
inits in i.R, chain(2)
initialize
adapt 10
update 100 by 10
monitor set a[1, 2], thin(3), type(trace)
update 20
samplers to s.txt
coda *, stem(out)
exit
