import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeAgentHome } from '../../../src/effects/runs/launcher.ts'
import { refused, temporaryFolder } from '../../support/core.ts'
import { write } from '../swarm.ts'

const lend = (home: string, lent: string): void =>
  makeAgentHome(
    {
      path: lent,
      folder: '.gemini',
      file: 'settings.json',
      content: { mcpServers: { aiswarm: { command: 'aiswarm' } }, telemetry: { enabled: false } },
    },
    home,
  )

const settings = (folder: string): unknown => JSON.parse(readFileSync(join(folder, '.gemini', 'settings.json'), 'utf8'))

it("a lent home is the person's own, with aiswarm's settings merged over theirs", () => {
  const [home, lent] = [temporaryFolder(), temporaryFolder()]
  const own =
    '{\n  // mine\n  "mcpServers": {"other": {"command": "x"}},\n  "telemetry": {"enabled": true, "target": "local"},\n}\n'
  write(home, {
    '.gemini/settings.json': own,
    '.gemini/oauth_creds.json': 'login',
    '.gemini/tmp/chats/1.json': 'a session',
  })
  lend(home, lent)
  expect(settings(lent)).toEqual({
    mcpServers: { other: { command: 'x' }, aiswarm: { command: 'aiswarm' } },
    telemetry: { enabled: false, target: 'local' },
  })
  expect(readFileSync(join(lent, '.gemini/oauth_creds.json'), 'utf8')).toBe('login')
  expect(readFileSync(join(lent, '.gemini/tmp/chats/1.json'), 'utf8')).toBe('a session')
  expect(readFileSync(join(home, '.gemini/settings.json'), 'utf8')).toBe(own)
  expect(lstatSync(join(lent, '.gemini/settings.json')).mode & 0o777).toBe(0o600)
})

it('a home without settings is lent as well, and files that are written there are found again', () => {
  const [home, lent, later] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  lend(home, lent)
  write(lent, { '.gemini/tmp/chats/1.json': 'a session' })
  lend(home, later)
  expect(existsSync(join(later, '.gemini/tmp/chats/1.json'))).toBe(true)
})

it('settings that cannot be read are refused, with their path', async () => {
  const [home, lent] = [temporaryFolder(), temporaryFolder()]
  write(home, { '.gemini/settings.json': '{half' })
  expect(await refused(Promise.resolve().then(() => lend(home, lent)))).toBe('config_invalid')
})
