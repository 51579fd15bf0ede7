import { person } from '../../src/domain/agent/actor.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { listAgents } from '../../src/operations/agents/list.ts'
import { readUnconfined } from '../../src/operations/integration/claims.ts'
import { machine } from '../../src/effects/sandbox/machine.ts'
import type { Cli } from './clis.ts'
import { openStage, type Stage, type StageOptions, type Step } from './stage.ts'

/** The result of a case that a CLI cannot do: the sentence with which aiswarm refuses it. */
export const cannot = (sentence: string): string => `${CANNOT}${sentence}`
export const CANNOT = '– '

/** The sentence of a refusal; throws if there was none. */
export const refusalOf = async (deed: Promise<unknown>): Promise<string> => {
  const said = await deed.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  if (said === undefined) throw new Error('it was not refused')
  return said
}

/** Kept here because a stage removes the variables of aiswarm. */
const showsOutput = process.env['AISWARM_SHOW'] !== undefined

export const on = async (
  cli: Cli,
  script: readonly Step[],
  options: StageOptions,
  play: (stage: Stage) => Promise<string>,
): Promise<string> => {
  const stage = await openStage(cli, script, options)
  try {
    const result = await play(stage)
    const why = await unconfinedRuns(stage)
    check(why === '', `it was not confined: ${why}`)
    return result
  } catch (error) {
    const shown = showsOutput ? `\n${stage.folder}\n${await stage.output().catch(() => '')}` : ''
    throw new Error(`${error instanceof Error ? error.message : String(error)}${shown}`, { cause: error })
  } finally {
    await stage.close()
  }
}

/** The reasons for which runs were not confined, where programs can be confined at all. */
const unconfinedRuns = async (stage: Stage): Promise<string> => {
  if (!('bubblewrap' in (await machine()))) return ''
  const found = await perform(stage.core, readUnconfined, { worktreeName: 'auth' }, person)
  return found.map(({ why }) => why).join('; ')
}

/** Waits until no process of the agent runs and its end is recorded. */
export const over = (stage: Stage) =>
  stage.until(
    'the end of the process',
    async () =>
      (await perform(stage.core, listAgents, {}, person)).every(
        ({ process }) => process !== 'started' && process !== 'wanted',
      ),
    100,
  )

export const check = (holds: boolean, sentence: string): void => {
  if (!holds) throw new Error(sentence)
}

/** The result of a case: a sentence about the observation. Throws if the promise was broken. */
export type Case = (cli: Cli) => Promise<string>

export const taskId = 1

/** The place where the prompt says that the work must be done. */
export const place: Step = { dir: 'inside (\\S+?),' }

export const report = (note: string): Step => ({
  tool: 'report_task_progress',
  args: { taskId, progressNote: note, percentComplete: 10 },
  let: place,
})

export const edit: Step = { write: { path: '{{dir}}/login.txt', content: 'a login\n' } }

export const commit: Step = { shell: 'git add login.txt && git commit -m "Add the login"' }

export const complete: Step = { tool: 'complete_task', args: { taskId, resultData: 'done', artifacts: ['login.txt'] } }

export const end: Step = { text: 'Finished.' }

/** The model's requests that contain these words, in their order. */
export const requestsWith = (stage: Stage, words: string): readonly string[] =>
  stage
    .requests()
    .trimEnd()
    .split('\n')
    .filter((line) => line.includes(words))

/** How often the model's last request contains these words. */
export const told = (stage: Stage, words: string): number => {
  const last = stage.requests().trimEnd().split('\n').at(-1)!
  return last.split(JSON.stringify(words).slice(1, -1)).length - 1
}
