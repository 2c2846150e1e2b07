#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demo: examples/demo/run.sh [path of the toroid command [source]]
# The source stands beside the applicant's figures and the expected decision. Without one it is the C program of
# examples/c, or, where clang 19 and LLVM 19 are not installed, the Verilog one here.
# A client encrypts an applicant's figures, a server decides on them without seeing them, the client decrypts.
set -euo pipefail
toroid=${1:-toroid}
toroid=$(command -v -- "$toroid") || { echo "demo: there is no command '${1:-toroid}'" >&2; exit 1; }
toroid=$(realpath -- "$toroid")
program=${2:-}
if [[ -z $program ]]; then
    program=$(dirname "${BASH_SOURCE[0]}")/../c/loan_score.c
    if ! command -v clang-19 >/dev/null || ! command -v opt-19 >/dev/null; then
        echo "demo: clang-19 and opt-19 are not installed, so this is the program in Verilog"
        program=$(dirname "${BASH_SOURCE[0]}")/loan_score.v
    fi
fi
program=$(realpath -- "$program")
here=$(dirname "$program")
source=$(basename "$program")

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mkdir "$work/client" "$work/server"
cd "$work"

say() { printf '\n== %s\n' "$*"; }
show() { echo "+ toroid $*"; "$toroid" "$@"; }

say "Compile the program to a circuit of bootstrapped gates"
cp -- "$program" "$here/applicant.json" client/
show compile "client/$source" -o server/loan_score.toroid --interface client/loan_score.json
show inspect server/loan_score.toroid

say "Client: make the keys; the server gets the evaluation key, which decrypts nothing"
show keygen -o client
mv client/evaluation.key server/

say "Client: encrypt the applicant's figures"
cat client/applicant.json
show encrypt --key client/secret.key --interface client/loan_score.json --values client/applicant.json -o server/inputs.ct

say "Server: run the program on the ciphertexts, without the secret key"
show run --key server/evaluation.key --inputs server/inputs.ct -o client/outputs.ct server/loan_score.toroid

say "Client: decrypt the decision"
show decrypt --key client/secret.key client/outputs.ct -o client/decrypted.json
cat client/decrypted.json

say "Compare with the same program on plain values"
show simulate server/loan_score.toroid --values client/applicant.json -o client/plain.json
for other in client/plain.json "$here/expected.json"; do
    if ! diff -u -- "$other" client/decrypted.json; then
        echo "demo: FAILED, the decrypted decision differs from $(basename "$other")" >&2
        exit 1
    fi
done
echo "The encrypted run gave exactly the plain result."
