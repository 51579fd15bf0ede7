import { beforeEach, describe, expect, it, vi } from 'vitest'
import { allowing, entryFor, isLocalAddress } from '../../../src/domain/sandbox/allowlist.ts'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { diagnoseNetwork } from '../../../src/effects/opening/diagnosis.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { networkOfAgent } from '../../../src/effects/sandbox/network.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { needs } from '../../support/needs.ts'
import { commit, openSwarm, read } from '../swarm.ts'
import { asked, networkAttacks as attacks, services } from './attacks.ts'

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

const run = async (config: string, lines: readonly string[]) => {
  const swarm = await openSwarm({ config })
  const folder = await swarm.build('auth')
  const script = lines.map((line, at) => `words=$( { ${line}; } 2>&1 < /dev/null ); echo "#${at} $? $words"`).join('\n')
  commit(folder, { 'attack.sh': script }, 'Attack')
  const task = await swarm.carryOut('sh attack.sh; true', { targetWorktree: 'auth' })
  const said = read(outputPath(swarm.root, task.attempts.at(-1)!.agentId))
  const results = lines.map((line, at) => {
    const [, code, words = ''] = new RegExp(`^#${at} (\\d+) ?(.*)$`, 'm').exec(said) ?? []
    return { line, code: code === undefined ? 'not run' : Number(code), words }
  })
  return { swarm, said, results, folder }
}

describe('an agent whose network', () => {
  it('is open reaches the services of this machine', async () => {
    const { port, name } = await services()
    const { results } = await run('', [attacks(port, name)[0]!, attacks(port, name)[5]!])
    expect(results.map(({ code }) => code)).toEqual([0, 0])
  })

  it('is none reaches nothing but itself', async () => {
    const { port, name } = await services()
    const lines = attacks(port, name)
    const { results } = await run('sandbox: {network: none}', [...lines, own])
    expect(results.slice(0, -1).filter(({ code }) => code === 0 || code === 'not run')).toEqual([])
    expect(results.at(-1)).toMatchObject({ code: 0, words: 'own' })
    expect(results[0]!.words).toContain('ECONNREFUSED')
    expect(results[2]!.words).toContain('ENETUNREACH')
    expect(results[5]!.words).toContain('ECONNREFUSED')
  })

  it('is an allowlist reaches the listed hosts only, and the refusals are shown', async () => {
    const { port, name } = await services()
    const { swarm, said, results } = await run('sandbox: {network: allowlist, hosts: [localhost, listed.example]}', [
      ...attacks(port, name),
      own,
    ])
    expect(results.slice(0, -1).filter(({ code }) => code === 0 || code === 'not run')).toEqual([])
    expect(results.at(-1)).toMatchObject({ code: 0, words: 'own' })
    const refusal = (endpoint: string, entry: string) =>
      `aiswarm: the sandbox refuses connections to ${endpoint}; ${entry} in sandbox.hosts would allow them`
    expect(results[8]!.words).toBe(refusal('169.254.169.254:80', '169.254.169.254'))
    expect(results[9]!.words).toBe(refusal('evil.example:443', 'evil.example'))
    expect(results[11]!.words).toBe(refusal(`127.0.0.1:${port}`, `127.0.0.1:${port}`))
    expect(results[12]!.words).toContain('localhost has the address')
    expect(results[13]!.words).toBe(refusal('listed.example:22', 'listed.example:22'))
    // Once in the log of the agent itself.
    expect(said.split(`\n${refusal('evil.example:443', 'evil.example')}\n`)).toHaveLength(2)
    const { detail } = diagnoseNetwork(swarm.root, swarm.core.settings)!
    expect(detail).toContain('evil.example:443 (implementer-1)')
  })

  it('is an allowlist reaches a listed service of this machine at its port, as do verification and setup', async () => {
    const { port } = await services()
    const get = `node -e 'fetch("http://localhost:${port}").then(async (r) => console.log(await r.text()))'`
    const { swarm, results, folder } = await run(
      `sandbox: {network: allowlist, hosts: ['localhost:${port}']}\nintegration: {verify: sh check.sh}`,
      [get],
    )
    expect(results[0]).toMatchObject({ code: 0, words: 'secret of the host' })
    commit(folder, { 'check.sh': `${get}; ${asked('evil.example:443')}; true` }, 'Check')
    const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
    const log = read(integration!.verification!.log)
    expect(log).toContain('secret of the host')
    expect(log).toContain('refuses connections to evil.example:443')
  })
})

const own = `node -e 'const s = require("http").createServer((_, r) => r.end("own")).listen(0, async () => { console.log(await (await fetch("http://localhost:" + s.address().port)).text()); process.exit(0) })'`

describe('the hosts of an agent', () => {
  it('are those of the configuration, of its CLI and of the addresses that a person gave it', async () => {
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:4000/v1')
    const swarm = await openSwarm({
      config: 'sandbox: {network: none, hosts: [a.example]}\nagents: {personas: {tester: {network: allowlist}}}',
    })
    const { network, hosts } = networkOfAgent(swarm.world, { personaId: 'tester', kind: 'claude' })
    expect(network).toBe('allowlist')
    expect(hosts).toEqual(expect.arrayContaining(['a.example', 'api.anthropic.com', '127.0.0.1:4000']))
    expect(networkOfAgent(swarm.world, { personaId: 'implementer', kind: 'claude' }).network).toBe('none')
  })

  it.each([
    ['example.com', 443, ['example.com'], { exact: false }],
    ['EXAMPLE.com.', 443, ['example.com'], { exact: false }],
    ['example.com', 22, ['example.com'], undefined],
    ['example.com', 22, ['example.com:22'], { exact: true }],
    ['a.example.com', 443, ['example.com'], undefined],
    ['a.example.com', 443, ['*.example.com'], { exact: false }],
    ['example.com', 443, ['*.example.com'], undefined],
    ['evilexample.com', 443, ['*.example.com'], undefined],
  ])('allow %s:%i by %j as %j', (host, port, listed, allowed) => {
    expect(allowing({ host, port }, listed)).toEqual(allowed)
  })

  it.each([
    ['example.com:443', [], 'example.com'],
    ['example.com:22', [], 'example.com:22'],
    ['example.com:443', ['example.com'], 'example.com:443'],
    ['example.com:443', ['example.com:443'], undefined],
    ['localhost:80', [], 'localhost:80'],
    ['169.254.169.254:80', [], '169.254.169.254:80'],
    ['9.9.9.9:443', [], '9.9.9.9'],
  ])('that were refused at %s beside %j are allowed by %s', (name, listed, entry) => {
    expect(entryFor(name, listed)).toBe(entry)
    if (entry === undefined) return
    const [, host, port] = /^(.*):(\d+)$/.exec(name)!
    expect(allowing({ host: host!, port: Number(port) }, [...listed, entry])).toBeDefined()
  })

  it('lead to no local address', () => {
    for (const local of [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '172.20.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '0.0.0.0',
      '::1',
      'fe80::1',
      'fd00::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
    ])
      expect([local, isLocalAddress(local)]).toEqual([local, true])
    for (const far of ['1.1.1.1', '172.32.0.1', '2606:4700::1111'])
      expect([far, isLocalAddress(far)]).toEqual([far, false])
  })
})
