import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { gitBinary } from '../../../src/effects/git/git.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { commit, openSwarm, sh } from '../swarm.ts'

it('a merge that git refuses once is tried again, and a full disk is not a conflict', async () => {
  const real = sh('/', 'command -v git')
  const folder = temporaryFolder()
  // Each line of this file is printed by the next merge-tree before it fails.
  const says = join(folder, 'says')
  const shim = `#!/bin/sh\nfor one; do if [ "$one" = merge-tree ] && [ -s '${says}' ]; then head -n 1 '${says}' >&2; sed -i 1d '${says}'; exit 128; fi; done\nexec '${real}' "$@"\n`
  writeFileSync(join(folder, 'git'), shim)
  chmodSync(join(folder, 'git'), 0o755)
  vi.stubEnv('PATH', [folder, process.env['PATH']].join(delimiter))
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(gitBinary()).toBe(join(folder, 'git'))

  const swarm = await openSwarm()
  commit(await swarm.build('auth'), { 'auth.txt': 'jwt\n' })
  commit(swarm.root, { 'other.txt': 'x\n' })
  const full = 'fatal: unable to write file: No space left on device\n'
  writeFileSync(says, `${full}${full}`)
  expect(await refusal(act(swarm.connection, requestIntegration, { worktreeName: 'auth' }))).toMatchObject({
    code: 'not_writable',
    message: 'The disk is full. Make room and try again (ENOSPC: git merge-tree of feature/auth).',
  })
  expect((await swarm.worktree('auth')).integration!.status).toBe('requested')

  writeFileSync(says, 'fatal: loose object b303 is corrupt\n')
  await swarm.turn()
  expect((await swarm.worktree('auth')).integration!.status).toBe('ready')

  // An object that one git calls corrupt and another git reads: a failing disk or a limit, but no reason against the
  // merge.
  const whole = sh(swarm.root, 'git rev-parse main')
  const corrupt = `fatal: loose object ${whole} (stored in .git/objects/${whole.slice(0, 2)}/${whole.slice(2)}) is corrupt\n`
  writeFileSync(says, `${corrupt}${corrupt}`)
  expect(await refusal(act(swarm.connection, requestIntegration, { worktreeName: 'auth' }))).toMatchObject({
    code: 'disk_failed',
  })
  expect((await swarm.worktree('auth')).integration!.status).toBe('requested')

  // An object that no git can read is reported.
  const gone = corrupt.replaceAll(whole, 'b'.repeat(40))
  writeFileSync(says, `${gone}${gone}`)
  await swarm.turn()
  expect((await swarm.worktree('auth')).integration).toMatchObject({
    status: 'conflicted',
    problem: expect.stringContaining('is corrupt') as string,
  })
})
