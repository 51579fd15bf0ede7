import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { outputPath } from '../../src/effects/files/paths.ts'
import { machine } from '../../src/effects/sandbox/machine.ts'
import type { WorktreeView } from '../../src/operations/views/worktrees.ts'
import { notRefused, resultsIn, scriptOf } from '../effects/sandbox/attackers.ts'
import { git, repository, sh, until } from '../effects/swarm.ts'
import { ownCluster, withPassword } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { type Host, hosts, task, twoHosts } from '../support/hosts.ts'
import { needs } from '../support/needs.ts'
import { freePort } from '../support/postgres.ts'

// A hostile agent on a host that has joined wants its branch in the target, the logins of its host, and the work of others.

const cluster = ownCluster()
const PASSWORD = 'correct-horse'

/** The commands of the agent. Each ends with 0 only if it succeeds. */
const attacks = ({ root, home }: Host, remote: string, url: string): readonly string[] => [
  ...['', '--force', '--no-verify --force'].map((how) => `git push -q ${how} ${remote} HEAD:refs/heads/main`),
  'git push -q origin HEAD:refs/heads/main',
  `git push -q ${remote} HEAD:refs/aiswarm/work/other`,
  `git push -q ${remote} --delete refs/aiswarm/work/other`,
  `git -C ${remote} update-ref refs/heads/main HEAD`,
  `git clone -q ${remote} /tmp/mine`,
  `git -C ${root} update-ref refs/heads/main HEAD`,
  ...['remote.origin.url', 'remote.origin.pushurl', `url./tmp/x.insteadOf`, 'core.sshCommand', 'credential.helper'].map(
    (key) => `git config ${key} /tmp/x`,
  ),
  `cat ${home}/.pgpass`,
  `cat ${home}/.git-credentials`,
  'cat ~/.pgpass ~/.git-credentials',
  `printf 'protocol=https\\nhost=git.example.net\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill`,
  `grep -lz PGPASSWORD /proc/*/environ`,
  `env | grep -E 'PG|${PASSWORD}'`,
  `cat ${root}/.aiswarm/store.yaml`,
  ...['secret', 'host', 'beat', 'worker'].map((name) => `cat ${root}/.aiswarm/run/${name}`),
  `ln -sfn /tmp ${root}/.aiswarm/run`,
  `mv ${root}/.aiswarm/run ${root}/.aiswarm/former`,
  `ln -sfn /tmp ${root}/.aiswarm/bin`,
  `psql -w -d '${url}' -c 'SELECT 1'`,
  'aiswarm worktree approve evil',
  'aiswarm host lost vm --yes',
  'aiswarm fleet join-code',
  `aiswarm fleet remote /tmp/x`,
  'aiswarm fleet snapshots on',
]

test(
  'a confined agent of a host moves no target, changes no remote, and reads no login of its host',
  { timeout: 180_000 },
  async (context) => {
    needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
    const role = `anna_${process.pid}`
    await withPassword(cluster, role, PASSWORD)
    const root = repository({ '.aiswarm/config.yaml': 'lease: {ttl: 3s, heartbeat: 500ms, terminateGrace: 200ms}\n' })
    const remote = join(temporaryFolder(), 'shop.git')
    sh(root, `git clone --quiet --bare . "${remote}"`)
    const { first, second } = await twoHosts(cluster, {
      ...{ root, remote, user: role },
      environment: { PGPASSWORD: PASSWORD, AISWARM_SANDBOX: 'require' },
    })
    for (const { home } of [first, second]) {
      mkdirSync(home, { recursive: true })
      writeFileSync(join(home, '.pgpass'), `*:*:*:${role}:${PASSWORD}\n`, { mode: 0o600 })
      writeFileSync(join(home, '.git-credentials'), `https://anna:${PASSWORD}@git.example.net\n`, { mode: 0o600 })
      writeFileSync(join(home, '.gitconfig'), '[credential]\n\thelper = store\n')
    }
    void first.worked()
    void second.worked()
    await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
    const other = hosts(first)[1]!.id
    const url = /postgresql:[^\s"']+/
      .exec(readFileSync(join(second.root, '.aiswarm/store.yaml'), 'utf8'))![0]
      .replace(/[?&]schema=\w+/, '')
    const lines = attacks(second, remote, url)
    first.run(['worktree', 'create', 'evil', '--branch', 'evil', '--host', other])
    const folder = join(second.root, '../evil')
    await until('the worktree', () => existsSync(join(folder, '.aiswarm/config.yaml')))
    writeFileSync(join(folder, 'attack.sh'), scriptOf(lines))
    const config = readFileSync(join(second.root, '.git/config'), 'utf8')
    const before = git(remote, 'for-each-ref')
    first.run([
      ...['task', 'add', 'Attack', '--persona', 'implementer', '--worktree', 'evil'],
      ...['--command', 'sh attack.sh; git add . && git -c user.name=e -c user.email=e@e commit -qm Evil'],
    ])
    await until('the attack', () => task(first, 1).status === 'completed')
    const results = resultsIn(readFileSync(outputPath(second.root, 'implementer-1'), 'utf8'), lines)
    expect(notRefused(results)).toEqual([])
    expect(readFileSync(join(second.root, '.git/config'), 'utf8')).toBe(config)
    // Its host pushes its work, and nothing else has changed there.
    const work = 'refs/aiswarm/work/evil'
    await until('the push of its host', () => git(remote, 'for-each-ref', work) !== '')
    expect(
      git(remote, 'for-each-ref')
        .split('\n')
        .filter((line) => !line.endsWith(work))
        .join('\n'),
    ).toBe(before)
  },
)

/** Serves the repositories of a folder by `git http-backend`, which checks no commit that is pushed; returns the address. */
const gitServer = async (folder: string): Promise<string> => {
  const port = await freePort()
  const program = resolve(import.meta.dirname, '../fleet/git-server.ts')
  const server = spawn(process.execPath, [program, folder, '127.0.0.1', String(port)], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void server.kill('SIGKILL'))
  await new Promise((ready) => server.stdout.once('data', ready))
  return `http://127.0.0.1:${port}`
}

/** Points the branch of its worktree at a commit without a committer, which git does not take from a remote. */
const forge = [
  `oid=$(printf 'tree %s\\nparent %s\\nauthor e <e@e> 1 +0000\\n\\nevil\\n' "$(git rev-parse 'HEAD^{tree}')" "$(git rev-parse HEAD)"`,
  ' | git hash-object -t commit -w --literally --stdin)',
  ' && git update-ref refs/heads/evil "$oid"',
].join('')

test(
  'an agent whose branch has a commit that git refuses does not keep the hosts from their remote',
  { timeout: 300_000 },
  async () => {
    const root = repository({ '.aiswarm/config.yaml': 'lease: {ttl: 3s, heartbeat: 500ms, terminateGrace: 200ms}\n' })
    const served = temporaryFolder()
    const bare = join(served, 'shop.git')
    sh(root, `git clone --quiet --bare . "${bare}"`)
    const { first, second } = await twoHosts(cluster, { root, remote: `${await gitServer(served)}/shop.git` })
    first.worker()
    second.worker()
    await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
    const other = hosts(first)[1]!.id
    const work = (name: string, command: string): void => {
      first.run(['worktree', 'create', name, '--branch', name, '--host', other])
      first.run([...['task', 'add', name, '--persona', 'implementer', '--worktree', name], ...['--command', command]])
    }
    const oidOn = (ref: string) => git(bare, 'for-each-ref', '--format=%(objectname)', ref)
    work('evil', forge)
    const forged = await until('the push of the forged commit', () => oidOn('refs/aiswarm/work/evil') || undefined)
    expect(git(bare, 'cat-file', 'commit', forged)).not.toContain('committer')
    work('lamp', 'echo lamp > lamp.txt && git add . && git -c user.name=a -c user.email=a@a commit -qm Lamp')
    await until('the good task', () => task(first, 2).status === 'completed')
    const shown = (name: string) => first.run<WorktreeView>(['worktree', 'show', name]).integration!
    for (const name of ['evil', 'lamp']) first.run(['worktree', 'request', name])
    await until('the merge of the good work', () => shown('lamp').status === 'ready')
    await first.answer(['worktree', 'approve', 'lamp'], /Type the name of the worktree/, 'lamp')
    await until('the end of the integration', () => shown('lamp').status === 'integrated')
    expect(git(bare, 'show', 'main:lamp.txt')).toBe('lamp')
    await until('the answer about the other', () => shown('evil').status === 'conflicted')
    expect(shown('evil').problem).toMatch(/^Git does not take the commits of worktree evil .*missingCommitter/)
  },
)
