import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { person } from '../../src/domain/agent/actor.ts'
import { checkGuard } from '../../src/effects/guard/guard.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { readGuard } from '../../src/operations/integration/configuration.ts'
import { trustConfiguration } from '../../src/operations/integration/drift-answers.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { openSwarm, sh, type Swarm } from '../effects/swarm.ts'
import { isOfDay } from '../support/dose.ts'
import { changesBetween, type Fingerprint, fingerprint } from './fingerprint.ts'
import { gitBytes } from './git.ts'
import { expectLanded } from './landing.ts'
import { isSentence, type MatrixOperation, operations, outcomeOf } from './operations.ts'
import { type OperationName, type Shape, shapes } from './shapes.ts'
import { Stages } from './stages.ts'

/** One cell in this many runs per day, about 80: within eight days each shape has met each operation. */
const ONE_IN = 8

/** Branches that aiswarm itself creates or works on. */
const ours = ['feature/auth', 'feature/pay', 'aiswarm/undo-auth']

/**
 * Runs one operation on every shape of a repository: it either succeeds or gives the reason in one sentence; it
 * changes and loses nothing of the person's.
 */
export const runMatrix = (name: OperationName): void => {
  const stages = new Stages()
  afterAll(() => stages.end())
  const operation: MatrixOperation = operations[name]
  describe(`the operation ${name}`, () => {
    const column = Object.keys(operations).indexOf(name)
    for (const [row, [called, shape]] of Object.entries(shapes).entries()) {
      if (!isOfDay(row + column, ONE_IN)) continue
      // A worktree that is gone has no shape.
      if (operation.stage === 'landed' && shape.ofWorktree) continue
      if (operation.concerns?.(shape) === false) continue
      it(`succeeds or explains itself with ${called}`, () => runCell(stages, name, shape))
    }
  })
}

const runCell = async (stages: Stages, name: OperationName, shape: Shape): Promise<void> => {
  const operation: MatrixOperation = operations[name]
  const root = await stages.begin(operation.stage)
  const swarm = await openSwarm({ root })
  sh(root, shape.script)
  if (shape.trusted) await trust(swarm)
  const folders = ['shop', 'release', 'far', ...(operation.stage === 'landed' ? [] : ['auth'])]
    .map((folder) => join(root, '..', folder))
    .filter((folder) => existsSync(folder))
  const look = (): ReadonlyMap<string, Fingerprint> =>
    new Map(folders.map((folder) => [folder, fingerprint(folder, ours)]))
  const before = look()
  const tips = tipsIn(folders)

  const { came, sentence, merge } = await outcomeOf(operation, swarm)

  expect(came, sentence ?? '').toBe(shape.expects?.[name] ?? operation.done)
  if (came !== operation.done && came !== 'made anew')
    expect(sentence !== null && isSentence(sentence), String(sentence)).toBe(true)
  const after = look()
  const taken = operation.takes === true && came === operation.done
  const kept = new Map([...before].filter(([folder]) => !(taken && folder.endsWith('/auth'))))
  if (came.startsWith('integrated') && merge) expectLanded(root, merge, kept, after)
  else
    for (const [folder, print] of kept)
      expect(
        changesBetween(print, after.get(folder)!).filter(shape.misleads && name === 'restore' ? isFile : Boolean),
        folder,
      ).toEqual([])
  expect(existsSync(join(root, '../ran')), 'something that an agent planted was run').toBe(false)
  expect(unreachable(root, tips), 'commits are lost').toEqual([])
}

/** A file of the worktree, without the files of git in it. */
const isFile = (key: string): boolean => key.startsWith('file ') && !key.startsWith('file .git')

/** The person checks the configuration that git obeys and accepts it. */
const trust = async ({ world, core }: Swarm): Promise<void> => {
  await checkGuard(world)
  const guard = await perform(core, readGuard, {}, world.actor)
  if (guard?.changed) await perform(core, trustConfiguration, { hash: guard.changed.hash }, person)
}

/** The commits of HEADs and branches. */
const tipsIn = (folders: readonly string[]): readonly string[] => {
  const root = folders[0]!
  const heads = folders
    .filter((folder) => !folder.endsWith('/far'))
    .map((folder) => gitBytes(folder, 'rev-parse', '--verify', '--quiet', 'HEAD').toString().trim())
  const refs = gitBytes(root, 'for-each-ref', '--format=%(objectname)', 'refs/heads', 'refs/stash')
    .toString()
    .split('\n')
  const found = [...new Set([...heads, ...refs])].filter((oid) => /^[0-9a-f]{40}$/.test(oid))
  return found.filter((oid) => gitBytes(root, 'cat-file', '-t', oid).toString() === 'commit\n')
}

/** Those of them that no ref protects from garbage collection any more. */
const unreachable = (root: string, tips: readonly string[]): readonly string[] =>
  tips.length === 0
    ? []
    : gitBytes(root, 'rev-list', '--no-walk', ...tips, '--not', '--all')
        .toString()
        .split('\n')
        .filter(Boolean)
