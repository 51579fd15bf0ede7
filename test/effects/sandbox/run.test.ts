import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hiddenServers, isOwnSetting } from '../../../src/effects/sandbox/run.ts'

/** A home in which the person has a server `own` for every kind, in a folder of the home. */
const opened = () => {
  const home = mkdtempSync(join(tmpdir(), 'aiswarm-home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const script = join(home, 'servers', 'own.mjs')
  const json = (key: string, entry: object): string => JSON.stringify({ [key]: { own: entry } })
  const files = {
    'servers/own.mjs': '',
    '.claude.json': json('mcpServers', { command: 'sh', args: [script] }),
    '.gemini/settings.json': json('mcpServers', { command: 'sh', args: [script] }),
    '.qwen/settings.json': json('mcpServers', { command: script }),
    '.copilot/mcp-config.json': json('mcpServers', { command: 'sh', args: [script] }),
    '.config/opencode/opencode.json': json('mcp', { command: ['sh', script] }),
    '.codex/config.toml': `model = "x"\n[mcp_servers.own]\ncommand = "sh"\nargs = [\n  "-x", "${script}"\n]\n[mcp_servers.own.env]\ncommand = "/none"\n`,
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), content)
  }
  const start = {
    root: '/shop',
    folder: '/',
    environment: { HOME: home, PATH: '/usr/bin:/bin' },
    given: {},
    keepsOwn: true,
    mounts: [
      { path: '/', access: 'read-only' },
      { path: home, access: 'private' },
    ] as const,
  }
  return { home, script, start }
}

const kinds = ['claude', 'codex', 'gemini', 'qwen', 'opencode', 'copilot']

describe('an MCP server in a hidden folder', () => {
  it.each(kinds)('of %s is named, with what to list', (kind) => {
    const { home, script, start } = opened()
    expect(hiddenServers(kind, start)).toEqual([
      `The MCP server own cannot start in the sandbox, which hides ${script}. List ${join(home, 'servers')} in sandbox.read, or the file alone if it needs no other.`,
    ])
  })

  it.each(kinds)('of %s is not named where it can be read, or is not wanted', (kind) => {
    const { home, start } = opened()
    const read = [...start.mounts, { path: join(home, 'servers'), access: 'read-only' } as const]
    expect(hiddenServers(kind, { ...start, mounts: read })).toEqual([])
    expect(hiddenServers(kind, { ...start, keepsOwn: false })).toEqual([])
  })

  it('of a persona is named too, and a program of the system is not', () => {
    const { script, start } = opened()
    const given = { theirs: { command: script, args: [], env: {} }, system: { command: 'ls', args: ['/etc'], env: {} } }
    expect(hiddenServers('qwen', { ...start, keepsOwn: false, given })).toEqual([
      expect.stringContaining('The MCP server theirs cannot start'),
    ])
  })
})

describe('a setting of a CLI that is a link', () => {
  it('is mounted only if it leads to a file or a folder of its name, as a person makes them', () => {
    const { home } = opened()
    const own = join(home, '.claude')
    mkdirSync(join(own, 'skills'), { recursive: true })
    mkdirSync(join(home, 'dotfiles'))
    for (const name of ['.netrc', 'dotfiles/settings.json']) writeFileSync(join(home, name), 'x')
    symlinkSync('..', join(own, 'commands'))
    symlinkSync('../.netrc', join(own, 'settings.local.json'))
    symlinkSync('../dotfiles/settings.json', join(own, 'settings.json'))
    symlinkSync('/nowhere/agents', join(own, 'agents'))
    execFileSync('mkfifo', [join(own, 'CLAUDE.md')])
    const mounted = [
      'commands',
      'settings.local.json',
      'settings.json',
      'agents',
      'CLAUDE.md',
      'skills',
      'plugins',
    ].filter((name) => isOwnSetting(join(own, name)))
    expect(mounted).toEqual(['settings.json', 'skills', 'plugins'])
  })
})
