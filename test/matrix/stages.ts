import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { act } from '../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../src/operations/integration/request.ts'
import { commit, git, openSwarm, sh, type Swarm } from '../effects/swarm.ts'
import { operations } from './operations.ts'

/** The stage of a worktree: its agent has committed, its merge was requested, or it is merged. */
export type Stage = 'working' | 'requested' | 'landed'

/**
 * The state of each stage, created once and copied for every cell: always to the same path, because git and the
 * database know it by its path.
 */
export class Stages {
  readonly #base = mkdtempSync(
    join(existsSync('/dev/shm') ? realpathSync('/dev/shm') : realpathSync(tmpdir()), 'aiswarm-matrix-'),
  )

  /** Makes a fresh copy; returns the main checkout. */
  async begin(stage: Stage): Promise<string> {
    if (!existsSync(join(this.#base, stage))) await this.#make(stage)
    return this.#copy(stage)
  }

  end(): void {
    rmSync(this.#base, { recursive: true, force: true })
  }

  get #place(): string {
    return join(this.#base, 'place')
  }

  #copy(stage: Stage): string {
    rmSync(this.#place, { recursive: true, force: true })
    execFileSync('cp', ['-a', join(this.#base, stage), this.#place])
    return join(this.#place, 'shop')
  }

  async #make(stage: Stage): Promise<void> {
    if (stage === 'working') {
      rmSync(this.#place, { recursive: true, force: true })
      mkdirSync(this.#place)
      const swarm = await openSwarm({ root: repository(this.#place) })
      work(await swarm.build('auth'))
      swarm.core.store.close()
    } else {
      const swarm = await openSwarm({ root: await this.begin(stage === 'landed' ? 'requested' : 'working') })
      if (stage === 'requested') await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
      else await operations.late.run(swarm satisfies Swarm)
      swarm.core.store.close()
    }
    execFileSync('cp', ['-a', this.#place, join(this.#base, stage)])
  }
}

const repository = (place: string): string => {
  for (const name of ['shop', 'far']) {
    const folder = join(place, name)
    mkdirSync(folder)
    git(folder, 'init', '--quiet', '--initial-branch=main')
    git(folder, 'config', 'user.name', 'Ada')
    git(folder, 'config', 'user.email', 'ada@example.com')
    commit(folder, name === 'far' ? { f: 'far\n' } : files, 'Begin')
  }
  return join(place, 'shop')
}

const lines = (name: string): string => Array.from({ length: 12 }, (_, i) => `${name} ${i}\n`).join('')

const files = {
  'README.md': 'a shop\n',
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'c.txt': 'c\n',
  'src/app.js': lines('app'),
  'docs/guide.md': lines('guide'),
  'old.txt': 'old\n',
  'run.sh': '#!/bin/sh\n',
}

/** The agent's work: a file changed, added, in a new folder, deleted, renamed, made executable. */
const work = (folder: string): void => {
  sh(
    folder,
    "sed -i 's/app 5/APP FIVE/' src/app.js; git mv docs/guide.md docs/manual.md; git rm -q old.txt; chmod +x run.sh",
  )
  commit(folder, { 'auth.txt': 'jwt\n', 'lib/auth.js': 'login\n' }, 'Add the login')
}
