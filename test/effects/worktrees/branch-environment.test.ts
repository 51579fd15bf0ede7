import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { logsFolder, outputPath } from '../../../src/effects/files/paths.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { commit, openSwarm, read } from '../swarm.ts'

beforeEach(() => {
  vi.stubEnv('MY_DEPLOY_SECRET', 'hunter2-hunter2')
  vi.stubEnv('PASSED_TOKEN', 'passed-on-purpose')
  vi.stubEnv('PLAIN', 'not passed')
})
afterEach(() => void vi.unstubAllEnvs())

const says = 'echo "$MY_DEPLOY_SECRET/$PLAIN/$PASSED_TOKEN/sk-ant-0123456789abcdef0123"'

describe('code of a branch gets the environment of agents and integration.pass, and its output is masked,', () => {
  it('when a merge is verified', async () => {
    const config = `integration: {verify: ${JSON.stringify(`${says}; test "$PASSED_TOKEN" = passed-on-purpose`)}, pass: [PASSED_*]}\n`
    const swarm = await openSwarm({ files: { 'README.md': 'a shop\n', '.aiswarm/config.yaml': config } })
    commit(await swarm.build('auth'), { a: 'x' })
    await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
    const { verification } = (await swarm.worktree('auth')).integration!
    expect(verification).toMatchObject({ exitCode: 0, tail: '//••••••/••••••\n' })
    expect(readFileSync(verification!.log, 'utf8')).toBe('//••••••/••••••\n')
  })

  it('when a worktree is set up', async () => {
    const swarm = await openSwarm({
      config: `worktrees: {setup: ${JSON.stringify(says)}}\nintegration: {pass: [PASSED_TOKEN]}\n`,
    })
    await swarm.build('auth')
    expect(read(logsFolder(swarm.root), 'setup-auth.log')).toBe('//••••••/••••••\n')
  })

  it('when a task has a command', async () => {
    const swarm = await openSwarm({ config: 'integration: {pass: [PASSED_TOKEN]}\n' })
    const task = await swarm.carryOut(`${says} > said; ${says}; ${says} >&2; exit 1`)
    expect(read(join(swarm.root, 'said'))).toBe('//passed-on-purpose/sk-ant-0123456789abcdef0123\n')
    expect(task.errorMessage).toContain('//••••••/••••••')
    expect((await swarm.connection.outside.readOutput('implementer-1', { offset: 0 })).text).toBe(
      '//••••••/••••••\n'.repeat(2),
    )
    expect(readFileSync(outputPath(swarm.root, 'implementer-1'), 'utf8')).toContain('//passed')
  })
})

describe('the variables of a database', () => {
  const names = ['PGHOST', 'PGPASSWORD', 'DATABASE_URL', 'SHOP_DATABASE_URL', 'SHOP_DSN', 'AISWARM_STORE'] as const
  const saysAll = names.map((name) => `echo "${name}=$${name}"`).join('; ')
  const passed = (text: string): readonly string[] =>
    text.split('\n').flatMap((line) => (/=./.test(line) ? [line.slice(0, line.indexOf('='))] : []))

  it.each<[string, string, readonly string[]]>([
    ['are withheld from the code of a branch', '[]', []],
    ['are withheld even if every variable is passed', "['*']", []],
    [
      'are passed if a name asks for them, except that of the board',
      "['*', PG*, SHOP_DSN, AISWARM_STORE]",
      ['PGHOST', 'PGPASSWORD', 'SHOP_DSN'],
    ],
  ])('%s', async (_, pass, expected) => {
    for (const name of names) vi.stubEnv(name, 'of a person')
    const swarm = await openSwarm({
      config: `worktrees: {setup: ${JSON.stringify(saysAll)}}\nagents: {pass: ${pass}}\n`,
    })
    await swarm.build('auth')
    expect(passed(read(logsFolder(swarm.root), 'setup-auth.log'))).toEqual(expected)
    await swarm.carryOut(`{ ${saysAll}; } > said`)
    // An agent's calls would reach another board without the address of its own, which has no password.
    expect(passed(read(join(swarm.root, 'said')))).toEqual([...expected, 'AISWARM_STORE'])
  })
})
