import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { parseSettings } from '../../../src/effects/configuration/config.ts'
import { configurationText, initialise } from '../../../src/effects/starting/initialise.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { git, openSwarm, read, repository, sh, write } from '../swarm.ts'

it('a repository gets its folder with configuration and personas, and nothing the second time', async () => {
  const root = repository()
  expect(await initialise(root)).toEqual([
    join(root, '.aiswarm'),
    join(root, '.aiswarm/config.yaml'),
    join(root, '.aiswarm/personas'),
  ])
  expect(await initialise(root)).toEqual([])
})

it('init does not change what a person wrote', async () => {
  const root = repository()
  write(root, { '.aiswarm/config.yaml': 'session: {maxParallel: 1}\n', '.aiswarm/.gitignore': '/logs/\n' })
  await initialise(root)
  expect(read(root, '.aiswarm/config.yaml')).toBe('session: {maxParallel: 1}\n')
  expect(read(root, '.aiswarm/.gitignore')).toBe('/logs/\n')
})

it('init adds new entries once to an older list of ignored files', async () => {
  const root = repository()
  const older =
    '# Written by aiswarm. The configuration and the personas can be committed; the rest belongs to this checkout.\n/logs/'
  write(root, { '.aiswarm/.gitignore': older })
  await initialise(root)
  await initialise(root)
  expect(read(root, '.aiswarm/.gitignore')).toBe(`${older}\n/console.json*\n/reports/\n/store.yaml\n/git/\n`)
  write(root, { '.aiswarm/console.json': '{}', '.aiswarm/console.json.broken': '{' })
  expect(git(root, 'status', '--porcelain', '--untracked-files=all')).not.toContain('console.json')
})

it('git sees only the configuration, even after work was done', async () => {
  const root = repository()
  await initialise(root)
  const swarm = await openSwarm({ root })
  await swarm.build('auth')
  await swarm.carryOut('echo done', { targetWorktree: 'auth' })
  expect(git(root, 'status', '--porcelain', '--untracked-files=all')).toBe('?? .aiswarm/config.yaml')
  sh(root, 'git add --all; git commit -qm Configure')
  expect(git(root, 'status', '--porcelain')).toBe('')
})

it('private files are readable only by the person', async () => {
  const swarm = await openSwarm()
  await swarm.carryOut('echo secret')
  for (const name of ['', 'run', 'logs', 'run/secret', 'coordination.db', 'coordination.db-wal', 'coordination.db-shm'])
    expect({ name, mode: statSync(swarm.path(`.aiswarm/${name}`)).mode & 0o077 }).toEqual({ name, mode: 0 })
  expect(statSync(swarm.path('.aiswarm/logs/implementer-1.log')).mode & 0o077).toBe(0)
  expect(existsSync(swarm.path('.aiswarm/bin/aiswarm'))).toBe(true)
})

it('files that an older version left readable for everyone become private when the repository is opened', async () => {
  const root = repository()
  await initialise(root)
  const first = await openSwarm({ root })
  const files = ['', 'coordination.db', 'coordination.db-wal', 'coordination.db-shm'].map((name) =>
    first.path(`.aiswarm/${name}`),
  )
  for (const file of files) chmodSync(file, statSync(file).mode | 0o055)
  await openSwarm({ root })
  expect(files.filter((file) => (statSync(file).mode & 0o077) !== 0)).toEqual([])
})

it('a repository without write permission is reported', async () => {
  const root = repository({ '.aiswarm': 'a file in the way' })
  const { code, message } = await refusal((async () => initialise(root))())
  expect(code).toBe('not_writable')
  expect(message).toContain(`${root}/.aiswarm cannot be written`)
})

describe('a link in the place of a folder that keeps tokens and programs', () => {
  for (const name of ['run', 'bin'])
    it(`as .aiswarm/${name} refuses the checkout, and nothing is written where it leads`, async () => {
      const root = repository()
      const elsewhere = temporaryFolder()
      mkdirSync(join(root, '.aiswarm'))
      symlinkSync(elsewhere, join(root, '.aiswarm', name))
      // As a branch would bring it.
      git(root, 'add', '--force', `.aiswarm/${name}`)
      git(root, 'commit', '--quiet', '--message', 'A link')
      const { code, message } = await refusal(openSwarm({ root }))
      expect(code).toBe('not_writable')
      expect(message).toBe(
        `${root}/.aiswarm/${name} is a symbolic link to ${elsewhere}. aiswarm keeps the tokens and sockets of its agents there, so it must be a folder of this checkout. Remove the link; aiswarm makes the folder again.`,
      )
      expect(readdirSync(elsewhere)).toEqual([])
      expect(readdirSync(join(root, '.aiswarm')).sort()).toEqual(['.gitignore', name])
      rmSync(join(root, '.aiswarm', name))
      await openSwarm({ root })
      expect(readdirSync(elsewhere)).toEqual([])
    })
})

const nothing = { target: 'main', verify: '', setup: '', agent: null }

it.each([
  ['main', 'npm test', 'npm ci', 'claude'],
  ['feature/#1', 'make check && cargo test', '', null],
  ['yes', 'echo "a: b" # not a comment', "sh -c 'true'", 'codex'],
  ['null', '- x', '{a}', null],
  ['a: b', 'trailing ', ' leading', null],
])('the first configuration holds exactly the answers %s, %s, %s, %s', (target, verify, setup, agent) => {
  const { settings, warnings } = parseSettings(configurationText({ target, verify, setup, agent }), 'config.yaml')
  expect(warnings).toEqual([])
  expect([settings.integration.target, settings.integration.verify]).toEqual([target, verify])
  expect([settings.worktrees.setup, settings.agents.default]).toEqual([setup, agent])
})

it('the first configuration changes no other setting than worktrees.perTask', () => {
  const { settings } = parseSettings(configurationText(nothing), 'config.yaml')
  expect(settings).toEqual({ ...defaultSettings, worktrees: { ...defaultSettings.worktrees, perTask: true } })
})
