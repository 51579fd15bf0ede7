import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { settle } from '../../../src/effects/runs/termination.ts'
import { lookAgain } from '../../../src/effects/watch/checkout.ts'
import { acceptCheckout } from '../../../src/operations/integration/drift-answers.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { readWatched } from '../../../src/operations/integration/drift.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { refusal } from '../../support/core.ts'
import { git, openSwarm, sh, type Swarm, write } from '../swarm.ts'

const items = async ({ core }: Swarm) =>
  (await perform(core, readBoard, {}, person)).attention.filter(({ kind }) => kind === 'checkout')
const evidence = async (swarm: Swarm) => (await items(swarm)).map((item) => item.evidence)
const change = async ({ core }: Swarm) => (await perform(core, readWatched, {}, person)).checkout!

const open = async (config = '') => {
  const swarm = await openSwarm({
    config,
    files: { 'README.md': 'a shop\n', other: 'x\n', '.gitignore': '.aiswarm\nignored\n' },
  })
  await swarm.build('auth')
  return swarm
}

/** A run that is confined to the worktree and runs this script in the main checkout. */
const intrude = (swarm: Swarm, script: string) =>
  swarm.carryOut(`cd "$AISWARM_ROOT" && (${script})`, { targetWorktree: 'auth' })

describe('a change in the main checkout while an agent runs in a worktree,', () => {
  it.each([
    ['an edit', 'echo evil >> README.md', 'README.md edited'],
    ['another edit of a file that a person had edited', 'echo evil >> other', 'other edited'],
    ['a new file', 'echo evil > new', 'new new'],
    ['a staged file', 'git add other', 'other staged'],
    ['a removed file', 'rm README.md', 'README.md deleted'],
    [
      'edits of a person that are gone',
      'git checkout -q other',
      'other matches HEAD again; its earlier changes are gone',
    ],
    ['another branch', 'git checkout -q -b away', 'the checkout is on refs/heads/away (was refs/heads/main)'],
    ['another mode', 'chmod +x README.md', 'README.md edited'],
  ])('%s, is listed when the run ends', async (_, script, said) => {
    const swarm = await open()
    write(swarm.root, { other: 'mine\n' })
    await intrude(swarm, script)
    expect(await evidence(swarm)).toEqual([`${said}; you may have made the change yourself`])
    const [item] = await items(swarm)
    expect(item!.text).toContain(' changed in the main checkout while implementer-1 ran in its worktree')
    expect(item!.command).toBe('aiswarm checkout accept (look first: checkout show)')
    // The next run changes nothing more.
    await intrude(swarm, 'true')
    expect(await items(swarm)).toEqual([item])
  })

  it('is accepted as it was shown, by a person, and is not listed again', async () => {
    const swarm = await open()
    await intrude(swarm, 'echo evil >> README.md')
    const { changes } = await change(swarm)
    await intrude(swarm, 'echo more >> other')
    expect((await refusal(perform(swarm.core, acceptCheckout, { changes }, person))).code).toBe('approval_void')
    const shown = (await change(swarm)).changes
    expect(shown.map(({ path }) => path)).toEqual(['README.md', 'other'])
    expect(
      (
        await refusal(
          perform(swarm.core, acceptCheckout, { changes: shown }, { kind: 'client', id: 'human', role: 'person' }),
        )
      ).code,
    ).toBe('not_allowed')
    await perform(swarm.core, acceptCheckout, { changes: shown }, person)
    await intrude(swarm, 'true')
    expect(await items(swarm)).toEqual([])
  })

  it('which is undone later, is not listed any more', async () => {
    const swarm = await open()
    await intrude(swarm, 'echo evil >> README.md; echo evil > new')
    git(swarm.root, 'checkout', '--quiet', 'README.md')
    await lookAgain(swarm.world)
    expect(await evidence(swarm)).toEqual(['new new; you may have made the change yourself'])
    sh(swarm.root, 'rm new')
    await lookAgain(swarm.world)
    expect(await items(swarm)).toEqual([])
  })

  it('names every agent that ran since the last check of the checkout', async () => {
    const swarm = await open()
    await swarm.build('pay')
    await swarm.task({ command: 'until [ -e done ]; do sleep 0.01; done', targetWorktree: 'pay' })
    const first = await swarm.begin()
    await intrude(swarm, 'echo evil >> README.md')
    expect((await change(swarm)).agents).toEqual([first.agentId, 'implementer-2'])
  })
})

describe('the main checkout causes no inbox item', () => {
  it.each([
    ['if nothing changes', 'true'],
    ['if a file is only touched', 'touch README.md other'],
    [
      'for ignored files, and for files that aiswarm writes',
      'echo x > ignored; mkdir -p .serena/memories .ai; echo x > .serena/memories/a.md; echo x > .ai/b.md',
    ],
    ['if the edits of a person are committed', 'git -c user.name=A -c user.email=a@b commit -qam Mine'],
  ])('%s', async (_, script) => {
    const swarm = await open()
    write(swarm.root, { other: 'mine\n' })
    await intrude(swarm, script)
    expect(await items(swarm)).toEqual([])
  })

  it('except for the move of a branch below its files', async () => {
    const swarm = await open()
    await intrude(
      swarm,
      'tree=$(printf "100644 blob %s\\tx\\n" $(git rev-parse main:other) | git mktree); git update-ref refs/heads/main "$(git -c user.name=A -c user.email=a@b commit-tree -p main -m Agent $tree)"',
    )
    expect((await perform(swarm.core, readBoard, {}, person)).attention.map(({ kind }) => kind)).toEqual(['moved'])
  })

  it('if a person edits it between two runs', async () => {
    const swarm = await open()
    await intrude(swarm, 'true')
    write(swarm.root, { other: 'mine\n' })
    await intrude(swarm, 'true')
    expect(await items(swarm)).toEqual([])
  })

  it.each([
    'an agent works there as its task wants it',
    'an agent that registered itself may work there',
    'the setting turns it off',
  ])('if %s', async (what) => {
    const swarm = await open(what.startsWith('the setting') ? 'integration: {watchCheckout: false}\n' : '')
    if (what.includes('registered'))
      await perform(swarm.core, registerAgent, { id: 'ext', personaId: 'implementer' }, person)
    let end = async (): Promise<void> => {}
    if (what.includes('its task')) {
      await swarm.task({ command: 'until [ -e ignored ]; do sleep 0.01; done' })
      const run = await swarm.begin()
      end = async () => {
        write(swarm.root, { ignored: '' })
        await swarm.ended(run)
        await settle(swarm.world, run, 'ended')
      }
    }
    await intrude(swarm, 'echo x > new')
    await end()
    expect(await items(swarm)).toEqual([])
  })
})
