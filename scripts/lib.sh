# Shared by the scripts: what the project needs on a machine. Sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '\033[1m▸ %s\033[0m\n' "$*"; }

missing() {
  echo "missing: $1. $2" >&2
  exit 1
}

# install PACKAGE…: installs Debian packages where this may be done.
install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 0
  say "installing $*"
  [ -n "${apt_updated:-}" ] || { apt-get update -q >/dev/null; apt_updated=1; }
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@" >/dev/null
}

# need COMMAND PACKAGE…: installs what brings a command that is not there.
need() {
  local command=$1
  shift
  command -v "$command" >/dev/null && return
  install "$@"
  command -v "$command" >/dev/null || missing "$command" "Install the Debian package: $*"
}

need_rust() {
  command -v cargo >/dev/null || missing cargo "Install Rust 1.95 or newer (rustup)."
  need cc build-essential
}
