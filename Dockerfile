# The program croft:
#   docker build -t croft .
#   docker run --rm --user "$(id -u)" -v "$PWD:/data" croft train -o words.croft train.txt
FROM debian:bookworm-slim AS build
COPY . /croft
WORKDIR /croft
RUN apt-get update && apt-get install -y --no-install-recommends make
RUN make package

FROM debian:bookworm-slim
COPY --from=build /croft/build/package/croft_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/croft_*.deb && \
    rm -rf /tmp/croft_*.deb /var/lib/apt/lists/*
RUN useradd --create-home croft
USER croft
WORKDIR /data
ENTRYPOINT ["croft"]
