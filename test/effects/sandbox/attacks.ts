import { createServer as createHttp, type Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** The places and processes outside that the attacks aim at. */
export interface Aims {
  readonly root: string
  readonly folder: string
  readonly other: string
  readonly home: string
  /** A file of the person in the temporary folder. */
  readonly temporary: string
  /** A process of the person. */
  readonly pid: number
  /** Another agent, and a word of its token. */
  readonly agent: string
  readonly token: string
}

/** The commands of a hostile agent in a sandbox. Each ends with 0 only if it succeeds. */
export const attacks = (aims: Aims): Readonly<Record<string, readonly string[]>> => {
  const { root, folder, other, home, temporary, pid, agent, token } = aims
  const board = `${root}/.aiswarm`
  const gitFolder = `${root}/.git`
  // Where the objects of the repository are seen inside.
  const objects = '/run/aiswarm/repository/objects'
  return {
    'the board': [
      `cat ${board}/coordination.db`,
      `: > ${board}/coordination.db`,
      `rm -f ${board}/coordination.db-wal && test ! -d ${board}`,
      `mv ${board} ${board}.old`,
      `rmdir ${board}`,
      `mkdir ${board}/logs`,
      `cat ${board}/run/secret`,
      `cat ${board}/run/${agent}.1.sandbox`,
      `ls ${board}/run/${agent}.1.inside`,
      `cat ${board}/config.yaml`,
      `echo 'sandbox: off' > ${board}/config.yaml`,
      `echo x > ${board}/personas/implementer.md`,
      `echo 0 > ${board}/run/$AISWARM_AGENT_ID.1.exit`,
      `echo 1 > ${board}/run/$AISWARM_AGENT_ID.1.pid`,
      `cat ${board}/run/$AISWARM_AGENT_ID.1.sandbox`,
      `cat ${board}/logs/${agent}.log`,
      `: > ${board}/logs/$AISWARM_AGENT_ID.log`,
      `echo 'exit 0' > ${board}/bin/aiswarm`,
      `ln ${board}/coordination.db ${folder}/board`,
      `umount ${board}`,
      `umount -l ${board}/run`,
      `mount -o remount,rw ${board}`,
      `mount -t tmpfs none ${board}`,
      `unshare -Urm umount ${board}`,
      `unshare -Urm mount -o remount,rw,bind ${root}`,
      `chroot / true`,
      `nsenter -t 1 -m true`,
      `test -e /proc/1/root${board}/coordination.db`,
      // The last one, since it takes the attacker's own files away.
      `rm -rf ${board}`,
    ],
    'the repository': [
      `echo x > ${objects}/x`,
      `rm -rf ${objects}/pack`,
      `o=$(git rev-parse main:README.md); f=${objects}/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); chmod u+w $f`,
      `o=$(git rev-parse main:README.md); f=${objects}/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); rm -f $f`,
      `mount --bind /tmp ${gitFolder}`,
      `umount ${gitFolder}`,
      `git worktree remove -f -f ${other}`,
      `mkdir -p ${gitFolder}/hooks && echo x > ${gitFolder}/hooks/post-checkout`,
      `rm -f .git`,
      `echo 'gitdir: /tmp' > .git`,
      `mv .git .git.old`,
      `cd ${other} && git commit -q --allow-empty -m x`,
    ],
    'the files of others': [
      `echo x > ${root}/README.md`,
      `rm ${root}/README.md`,
      `touch ${root}/new`,
      `echo x > ${other}/README.md`,
      `ln -s ${root} way && echo x > way/README.md`,
      `ln ${root}/README.md hard`,
      `cat ${home}/token`,
      `ls ${home}/.ssh`,
      `cat ${home}/.pgpass`,
      `ln -sf ${home}/token link && cat link`,
      `cat ${temporary}`,
      `echo x >> ${temporary} && grep -q person ${temporary}`,
      `touch /usr/bin/evil`,
      `touch -c /etc/profile`,
      `touch -c /var/spool`,
      `mv ${folder} ${folder}.old`,
      `mknod disk b 8 0 && cat disk`,
      `ls -d /dev/sd* /dev/vd* /dev/nvme* /dev/mem /dev/kmsg`,
      `v=$(cat /proc/sys/kernel/core_pattern); echo "$v" > /proc/sys/kernel/core_pattern`,
      `echo h > /proc/sysrq-trigger`,
      `echo 1 > /sys/kernel/uevent_helper`,
      `mkdir /sys/fs/cgroup/mine && rmdir /sys/fs/cgroup/mine`,
    ],
    'the processes of others': [
      `kill -0 ${pid}`,
      `kill -9 ${pid}`,
      `test -d /proc/${pid}`,
      `cat /proc/${pid}/environ`,
      `ls /proc/${pid}/root/`,
      `grep -l -e ${token} /proc/*/environ`,
      `pgrep -f ${agent}.1.sandbox`,
      `: ptrace; perl -e 'syscall(101, 16, ${pid}, 0, 0) == 0 or die "$!\\n"'`,
      `: process_vm_readv; perl -e '$b = "x" x 8; $l = pack("PQ", $b, 8); $r = pack("QQ", 4096, 8); syscall(310, ${pid}, $l, 1, $r, 1, 0) >= 0 or die "$!\\n"'`,
      `: pidfd_open; perl -e 'syscall(434, ${pid}, 0) >= 0 or die "$!\\n"'`,
      `renice 19 -p ${pid}`,
      `ls /proc/self/fd | grep -qx '[4-9]'`,
      `ipcs -m | grep -q 0x`,
    ],
    'the kernel and the session': [
      `: keyctl; perl -e 'syscall(250, 0, -3, 1, 0, 0) >= 0 or die "$!\\n"'`,
      `: add_key; perl -e '$t = "user"; $x = "x"; syscall(248, $t, $x, $x, 1, -3) >= 0 or die "$!\\n"'`,
      `: request_key; perl -e '$t = "user"; $x = "x"; syscall(249, $t, $x, 0, -3) >= 0 or die "$!\\n"'`,
      `: bpf; perl -e 'syscall(321, 0, 0, 0) >= 0 or die "$!\\n"'`,
      `: perf_event_open; perl -e 'syscall(298, 0, 0, -1, -1, 0) >= 0 or die "$!\\n"'`,
      `: io_uring_setup; perl -e '$p = "\\0" x 120; syscall(425, 1, $p) >= 0 or die "$!\\n"'`,
      `: userfaultfd; perl -e 'syscall(323, 0) >= 0 or die "$!\\n"'`,
      `: open_by_handle_at; perl -e 'syscall(304, -1, 0, 0) >= 0 or $! != 1 or die "$!\\n"'`,
      `: init_module; perl -e '$m = "x"; $o = ""; syscall(175, $m, 1, $o) >= 0 or $! != 1 or die "$!\\n"'`,
      `: reboot; perl -e 'syscall(169, 0, 0, 0, 0) >= 0 or $! != 1 or die "$!\\n"'`,
      `: x32; perl -e 'syscall(0x40000000 + 39) >= 0 or die "$!\\n"'`,
      `: TIOCSTI; perl -e '$c = "x"; ioctl(STDIN, 0x5412, $c) or die "$!\\n"'`,
      `sh -c ': > /dev/tty'`,
      `hostname "$(hostname)"`,
      `date -s "@$(date +%s)"`,
      `su -c true daemon`,
      `ls /run/docker.sock`,
      `ls /run/user/*/bus`,
      `ls /run/dbus/system_bus_socket`,
      `test -n "$SSH_AUTH_SOCK$DISPLAY$DBUS_SESSION_BUS_ADDRESS$XDG_RUNTIME_DIR$TMUX"`,
      `systemctl --user status`,
      `grep -q 'NoNewPrivs:.0' /proc/self/status`,
      `grep -vq '^Cap[IPE][nrf][hmf]:.0*$' /proc/self/status && ! grep -q 'CapEff:.0000000000000000' /proc/self/status`,
    ],
    'the command aiswarm': [
      'aiswarm worktree approve auth',
      'aiswarm worktree discard other --reason x',
      'aiswarm worktree trust',
      'aiswarm request answer 1 --allow',
      'aiswarm target accept main',
      'aiswarm db backup /tmp/board',
      'aiswarm db restore /tmp/board',
      'aiswarm run --until-idle',
      'aiswarm init',
      'aiswarm demo --json',
      'aiswarm mcp --http 0',
      'aiswarm mcp --http=0',
      'aiswarm status --root /',
      `aiswarm status --root=${home}`,
      `aiswarm memory write note.md ${home}/token`,
      `aiswarm task import ${home}/token`,
      'aiswarm session export /tmp',
      'aiswarm --json db backup /tmp/x',
      'aiswarm db backup -- --help',
      'aiswarm session export -- --help',
      'aiswarm run --until-idle --report --help',
      'touch "$AISWARM_DOORWAY/file"',
      'mv "$AISWARM_DOORWAY/door" "$AISWARM_DOORWAY/other"',
      `env -u AISWARM_AGENT_ID -u AISWARM_AGENT_TOKEN aiswarm worktree approve auth`,
      `AISWARM_AGENT_ID=${agent} aiswarm agent heartbeat ${agent}`,
      `env -u AISWARM_DOORWAY aiswarm task list`,
      `env -i PATH="$PATH" aiswarm task list`,
      `AISWARM_DOORWAY=${board}/run/${agent}.1.door aiswarm task list`,
    ],
  }
}

/** Changes that the agent sees, and that nothing outside has. */
export const withoutEffect = ({ root, home }: Aims): readonly string[] => [
  'git update-ref refs/heads/main $(git commit-tree HEAD^{tree} -m x)',
  'git branch -f feature/other HEAD~0',
  'git tag evil',
  'git update-ref refs/remotes/origin/main HEAD',
  `git replace --graft HEAD`,
  `echo x >> ${root}/.git/config`,
  `git config core.fsmonitor /bin/true`,
  `d=$(git rev-parse --absolute-git-dir); echo x > $d/config.worktree`,
  `echo x > ${root}/.git/config.lock`,
  `mkdir -p ${root}/.git/info && echo '* filter=x' > ${root}/.git/info/attributes`,
  `echo x > ${root}/.git/HEAD`,
  `echo x > ${root}/.git/packed-refs`,
  `git pack-refs --all`,
  `rm -f ${root}/.git/index && test ! -e ${root}/.git/index`,
  `echo ${home} > ${root}/.git/objects/info/alternates`,
  `rm -rf ${root}/.git/objects/pack`,
  `echo /tmp > ${root}/.git/commondir`,
  `d=$(git rev-parse --absolute-git-dir); echo /tmp > $d/commondir`,
  `d=$(git rev-parse --absolute-git-dir); rm -f $d/commondir`,
  `d=$(git rev-parse --absolute-git-dir); mv $d $d.old`,
  `d=$(git rev-parse --absolute-git-dir); echo /tmp/.git > $d/gitdir`,
  `echo x > ${root}/.git/worktrees/other/HEAD`,
  `rm -rf ${root}/.git/worktrees/other`,
  `git worktree add /tmp/mine -b mine2`,
  `mkdir -p ${root}/.git/aiswarm/trash/x`,
  `cd ${root} && git checkout -q -b mine`,
  `cd ${root} && git commit -q --allow-empty -m x`,
  `rm -rf ${root}/.git/refs/heads/main`,
  `mkdir -p ${home} && echo evil > ${home}/.bashrc`,
  'echo evil > /tmp/evil',
  'setsid -f env -i sleep 913377 > /dev/null 2>&1',
  '(setsid sleep 913377 > /dev/null 2>&1 &)',
  `ln -sfn ${home} ${root}/.git/refs/heads/way`,
]

/** A service on loopback and one in the abstract namespace, which answer with a secret. */
export const services = async () => {
  const http: Server = createHttp((_, response) => response.end('secret of the host'))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const abstract = createServer((socket) => {
    socket.on('error', () => {})
    socket.end('secret of the host')
  })
  const name = `aiswarm-test-${process.pid}`
  await new Promise<void>((resolve) => abstract.listen(`\0${name}`, resolve))
  onTestFinished(() => {
    http.close()
    abstract.close()
  })
  return { port: (http.address() as AddressInfo).port, name }
}

/** Programs that end with 0 only if they reach what they aim at. */
export const networkAttacks = (port: number, name: string): readonly string[] => [
  tcp('127.0.0.1', port),
  tcp('localhost', port),
  tcp('169.254.169.254', 80),
  tcp('1.1.1.1', 53),
  tcp('::1', port),
  `node -e 'require("net").connect({path: "\\0${name}"}, () => process.exit(0)).on("error", (e) => { console.log(e.message); process.exit(1) })'`,
  `node -e 'require("dns").lookup("example.com", (e) => { console.log(e?.message); process.exit(e ? 1 : 0) })'`,
  `node -e 'const s = require("dgram").createSocket("udp4"); s.send("x", 53, "1.1.1.1", (e) => { console.log(e?.message); process.exit(e ? 1 : 0) })'`,
  asked('169.254.169.254:80'),
  asked('evil.example:443'),
  asked('[::1]:80'),
  asked(`127.0.0.1:${port}`),
  asked('localhost:80'),
  asked('listed.example:22'),
  `node -e 'fetch("http://169.254.169.254/latest/meta-data").then(async (r) => { console.log((await r.text()).trim()); process.exit(r.ok ? 0 : 1) }, (e) => { console.log(e.cause?.code, e.cause?.message, e.cause?.cause?.message); process.exit(1) })'`,
]

const tcp = (host: string, port: number): string =>
  `node -e 'require("net").connect({host: "${host}", port: ${port}, timeout: 3000}, () => process.exit(0)).on("timeout", () => process.exit(2)).on("error", (e) => { console.log(e.message || e.errors?.[0]?.message); process.exit(1) })'`

/** Asks the proxy inside for a tunnel. */
export const asked = (endpoint: string): string =>
  `node -e 'if (!process.env.HTTP_PROXY) { console.log("no proxy"); process.exit(1) } const s = require("net").connect(new URL(process.env.HTTP_PROXY).port, "127.0.0.1", () => s.write("CONNECT ${endpoint} HTTP/1.1\\r\\n\\r\\n")); s.on("data", (d) => { console.log(String(d).trim().split("\\n").at(-1)); process.exit(String(d).startsWith("HTTP/1.1 200") ? 0 : 1) })'`
