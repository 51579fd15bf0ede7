import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { proposeStart } from '../../../src/effects/starting/proposal.ts'
import { temporaryFolder } from '../../support/core.ts'
import { git, repository, sh, write } from '../swarm.ts'

/** A folder for PATH with these programs. */
const programs = (...names: readonly string[]): string => {
  const folder = temporaryFolder()
  for (const name of names) {
    writeFileSync(join(folder, name), '#!/bin/sh\n')
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

describe('the proposal for a first start', () => {
  it('names the target that origin/HEAD names before main, and the other branches after it', async () => {
    const root = repository()
    sh(root, 'git branch develop; git branch feature/x')
    expect((await proposeStart(root, {})).targets[0]).toBe('main')
    git(root, 'update-ref', 'refs/remotes/origin/develop', 'HEAD')
    git(root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/develop')
    const { targets } = await proposeStart(root, {})
    expect(targets[0]).toBe('develop')
    expect([...targets].sort()).toEqual(['develop', 'feature/x', 'main'])
  })

  it('names master if there is no main', async () => {
    const root = repository()
    git(root, 'branch', '--move', 'main', 'master')
    expect((await proposeStart(root, {})).targets).toEqual(['master'])
  })

  it('lists installed agents, those with a login first, and the missing ones', async () => {
    const root = repository()
    const home = temporaryFolder()
    const environment = { PATH: programs('claude', 'gemini', 'codex'), HOME: home }
    const found = async (more: Record<string, string> = {}) =>
      (await proposeStart(root, { ...environment, ...more })).agents.map(
        ({ kind, loggedIn }) => `${kind}${loggedIn ? ' logged in' : ''}`,
      )
    expect(await found()).toEqual(['claude', 'codex', 'gemini'])
    mkdirSync(join(home, '.codex'))
    writeFileSync(join(home, '.codex/auth.json'), '{}')
    expect(await found()).toEqual(['codex logged in', 'claude', 'gemini'])
    expect(await found({ GEMINI_API_KEY: 'x' })).toEqual(['codex logged in', 'gemini logged in', 'claude'])
    expect((await proposeStart(root, environment)).missing).not.toContain('claude')
    expect((await proposeStart(root, environment)).missing).toContain('opencode')
  })

  it('says that a repository is configured', async () => {
    const root = repository()
    expect((await proposeStart(root, {})).configured).toBe(false)
    write(root, { '.aiswarm/config.yaml': '' })
    expect((await proposeStart(root, {})).configured).toBe(true)
  })
})
