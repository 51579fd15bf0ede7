import { readdirSync, readFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { act } from '../../../src/operations/perform/perform.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { commit, git, openSwarm, read } from '../swarm.ts'
import { needs } from '../../support/needs.ts'

/** True while the process that the verification has started runs. */
const sleeps = (): boolean =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === 'sleep\x00987654\x00'
      } catch {
        return false
      }
    })

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

describe('the verification in a sandbox', () => {
  it('writes its checkout, and nothing of the repository, the board and the home', async () => {
    mkdirSync(homedir(), { recursive: true })
    writeFileSync(join(homedir(), 'token'), 'secret')
    const swarm = await openSwarm({ config: `integration: {verify: 'sh check.sh'}` })
    const folder = await swarm.build('auth')
    const tries = [
      'echo built > out',
      'git status --short',
      `cat ${homedir()}/token`,
      `ls -A ${swarm.root}/.aiswarm | head -1`,
      `echo x > ${swarm.root}/README.md`,
      `echo x > ${swarm.root}/.git/config`,
      'git update-ref refs/heads/main HEAD',
      `echo x > ${folder}/note`,
      `echo x > ${swarm.root}/.aiswarm/coordination.db`,
      'git config core.hooksPath /tmp',
      'touch /usr/here',
      `test $(ps -e -o pid= | wc -l) -lt 9`,
      'grep -q "CapEff:.0000000000000000" /proc/self/status',
      'grep -q "NoNewPrivs:.1" /proc/self/status',
    ]
    commit(folder, { 'check.sh': tries.map((line) => `${line}; echo "=> $?"`).join('\n') }, 'Check')
    const main = git(swarm.root, 'rev-parse', 'main')
    const config = readFileSync(join(swarm.root, '.git/config'), 'utf8')
    const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
    const { log } = integration!.verification!
    const said = read(log)
    const codes = [...said.matchAll(/^=> (\d+)$/gm)].map(([, code]) => Number(code) === 0)
    expect(codes, said).toEqual([
      true,
      true,
      false,
      true,
      // The git that it writes is its own copy.
      ...[false, true, true, false, false, true, false],
      ...[true, true, true],
    ])
    expect(said).not.toMatch(/secret|coordination\.db$/m)
    expect(git(swarm.root, 'rev-parse', 'main')).toBe(main)
    expect(readFileSync(join(swarm.root, '.git/config'), 'utf8')).toBe(config)
    expect(existsSync(join(folder, 'note'))).toBe(false)
  })

  it('finds the programs to which links on the PATH lead, and no other file', async () => {
    const [linked, opt] = [join(homedir(), 'linked'), join(homedir(), 'opt')]
    for (const folder of [linked, opt]) mkdirSync(folder, { recursive: true })
    writeFileSync(join(opt, 'tool'), '#!/bin/sh\necho worked', { mode: 0o755 })
    writeFileSync(join(opt, 'token'), 'secret', { mode: 0o600 })
    for (const name of ['tool', 'token']) {
      rmSync(join(linked, name), { force: true })
      symlinkSync(join(opt, name), join(linked, name))
    }
    vi.stubEnv('PATH', `${linked}:${process.env['PATH']!}`)
    const swarm = await openSwarm({ config: `integration: {verify: 'tool; cat ${opt}/token; true'}` })
    const folder = await swarm.build('auth')
    commit(folder, { 'a.txt': 'a' }, 'A')
    const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
    const said = read(integration!.verification!.log)
    expect(said).toContain('worked')
    expect(said).not.toContain('secret')
  })

  it('finds nothing of a home that is itself on the PATH', async () => {
    const home = join(homedir(), 'of', 'ada')
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'token'), 'secret')
    vi.stubEnv('HOME', home)
    vi.stubEnv('PATH', `${home}:${dirname(home)}:${process.env['PATH']!}`)
    const swarm = await openSwarm({ config: `integration: {verify: 'cat ~/token; echo done'}` })
    const folder = await swarm.build('auth')
    commit(folder, { 'a.txt': 'a' }, 'A')
    const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
    const said = read(integration!.verification!.log)
    expect(said).toContain('done')
    expect(said).not.toContain('secret')
  })

  it('ends with everything that it started', async () => {
    const swarm = await openSwarm({ config: `integration: {verify: 'setsid -f env -i sleep 987654; true'}` })
    const folder = await swarm.build('auth')
    commit(folder, { 'a.txt': 'a' }, 'A')
    await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
    expect(sleeps()).toBe(false)
  })
})
