// Compares agents' claims about their work with known facts. Words are matched, not understood: a finding shows a
// person two facts to compare, and states only those.

/** A task of a worktree with all claims about it. */
export interface ClaimedTask {
  readonly id: number
  readonly title: string
  readonly status: string
  /** The claims with their sources: the result, the last notes, the last message of a run. */
  readonly said: readonly { readonly where: string; readonly text: string }[]
  readonly criteria: readonly { readonly text: string; readonly met: boolean }[]
  readonly artifacts: readonly string[]
  /** Files that its result named and that did not exist at its end. */
  readonly missing: readonly string[]
  /** The exit code of its last process; null if unknown. */
  readonly lastExit: number | null
}

export interface KnownFacts {
  /** The last verification; null if none ran. Its exit code is null if a signal ended it. */
  readonly verification: { readonly command: string; readonly exitCode: number | null } | null
  /** Paths that the merge would change, including old names. */
  readonly paths: readonly string[]
  /** Paths with uncommitted changes. */
  readonly uncommitted: readonly string[]
}

export interface Finding {
  readonly taskId: number
  /** The claim, quoted if it is short. */
  readonly says: string
  readonly fact: string
  /** False for a contradiction, null if nothing here proves or disproves it. */
  readonly agrees: boolean | null
}

/** The findings for each task: contradictions first, in the order of the tasks. */
export const claimsOf = (tasks: readonly ClaimedTask[], facts: KnownFacts): readonly Finding[] => {
  const findings = tasks.flatMap((task) => rules.flatMap((rule) => rule(task, facts)))
  const once = findings.filter(
    (one, n) =>
      findings.findIndex(
        (other) => other.taskId === one.taskId && other.says === one.says && other.fact === one.fact,
      ) === n,
  )
  return [false, null, true].flatMap((agrees) => once.filter((one) => one.agrees === agrees))
}

type Rule = (task: ClaimedTask, facts: KnownFacts) => readonly Finding[]

/** Compares "all tests pass" with the last verification. */
const ofTests: Rule = (task, facts) =>
  sentences(task).flatMap(({ where, text }): Finding[] => {
    if (!passes.test(text) || notPasses.test(text)) return []
    return [{ taskId: task.id, says: `${where} says “${text}”`, ...verified(facts) }]
  })

const verified = ({ verification }: KnownFacts): Pick<Finding, 'fact' | 'agrees'> => {
  if (verification === null) return { fact: 'no verification ran', agrees: null }
  const { command, exitCode } = verification
  const end = exitCode === null ? 'was killed by a signal' : `exited with code ${exitCode}`
  return { fact: `the last run of ${command} ${end}`, agrees: exitCode === 0 }
}

const ofBuilds: Rule = (task, { verification }) =>
  sentences(task).flatMap(({ where, text }): Finding[] => {
    if (!builds.test(text) || notPasses.test(text) || passes.test(text)) return []
    const failed = verification !== null && verification.exitCode !== 0
    const fact = failed
      ? `the last run of ${verification.command} ${verification.exitCode === null ? 'was killed by a signal' : `exited with code ${verification.exitCode}`}`
      : verification
        ? `only ${verification.command} was run here`
        : 'nothing was run here'
    return [{ taskId: task.id, says: `${where} says “${text}”`, fact, agrees: failed ? false : null }]
  })

/** A completed task whose last process failed. */
const ofExit: Rule = ({ id, status, lastExit }) =>
  status === 'completed' && lastExit !== null && lastExit !== 0
    ? [{ taskId: id, says: 'completed', fact: `its last process exited with code ${lastExit}`, agrees: false }]
    : []

/** Met criteria that name files, and criteria that are not met. */
const ofCriteria: Rule = ({ id, status, criteria }, facts) =>
  criteria.flatMap(({ text, met }): Finding[] => {
    if (!met)
      return status === 'completed'
        ? [{ taskId: id, says: 'completed', fact: `a criterion is not met: “${short(text)}”`, agrees: false }]
        : []
    const says = `criterion met: “${short(text)}”`
    if (facts.paths.length === 0) return [{ taskId: id, says, fact: 'the merge changes no file', agrees: false }]
    // A test that passes is not a claim that its file was changed.
    if (runs.test(text)) return [{ taskId: id, says, ...verified(facts) }]
    const untouched = pathsIn(text).filter((path) => !touches(facts.paths, path))
    return untouched.map((path) => ({
      taskId: id,
      says,
      fact: `${path} is not changed${uncommittedToo(facts, path)}`,
      agrees: false,
    }))
  })

/** Files that a result names as created. */
const ofArtifacts: Rule = ({ id, artifacts, missing }, facts) => [
  ...missing.map((path) => ({
    taskId: id,
    says: `it lists ${path} as an artifact`,
    fact: 'the file did not exist when the task ended',
    agrees: false,
  })),
  ...artifacts.map((path) => {
    const changed = touches(facts.paths, path)
    return {
      taskId: id,
      says: `it lists ${path} as an artifact`,
      fact: changed ? 'the merge changes it' : `the merge does not change it${uncommittedToo(facts, path)}`,
      agrees: changed,
    }
  }),
]

/** Compares "Added src/login.ts" with the files of the merge. */
const ofFiles: Rule = (task, facts) =>
  sentences(task).flatMap(({ where, text }) =>
    changedWords.test(text)
      ? pathsIn(text)
          .filter((path) => !touches(facts.paths, path))
          .map((path) => ({
            taskId: task.id,
            says: `${where} says “${text}”`,
            fact: `${path} is not changed${uncommittedToo(facts, path)}`,
            agrees: false,
          }))
      : [],
  )

const rules: readonly Rule[] = [ofTests, ofBuilds, ofExit, ofCriteria, ofArtifacts, ofFiles]

/** The longest text whose sentences are checked, because an agent may write a very long one. */
const MOST = 20_000

const sentences = ({ said }: ClaimedTask): readonly { where: string; text: string }[] =>
  said.flatMap(({ where, text }) =>
    text
      .slice(0, MOST)
      .split(/\n+|(?<=[.!?])\s+/)
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence !== '')
      .map((sentence) => ({ where, text: short(sentence) })),
  )

const uncommittedToo = ({ uncommitted }: KnownFacts, path: string): string =>
  touches(uncommitted, path) ? ' (its changes are uncommitted)' : ''

const passes =
  /\b(?:tests?|specs?|suites?|checks?|verification|ci)\b[^.!?\n]{0,40}?\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|successful(?:ly)?|ok)\b|\b(?:pass(?:es|ed|ing)?|green)\b[^.!?\n]{0,20}\b(?:tests?|specs?|suites?|checks?)\b|\b\d+\s*(?:\/\s*\d+\s*)?(?:tests?\s+)?pass(?:ed|ing)?\b/i
const notPasses = /\b(?:not|n't|no|fail(?:s|ed|ing|ures?)?|without|until|should|must|if|when|todo)\b/i
/** Words of a criterion about a run, such as `node --test test/login.test.js passes`. */
const runs = /\b(?:pass(?:es|ed)?|succeed(?:s|ed)?|is green|are green|exits? (?:with )?(?:code )?0)\b/i
const builds =
  /\b(?:build|compil\w*|lint\w*|type[- ]?check\w*|tsc|eslint)\b[^.!?\n]{0,40}?\b(?:pass(?:es|ed|ing)?|clean|green|succeed(?:s|ed)?|successful(?:ly)?|without errors?)\b/i

const changedWords =
  /\b(?:add(?:s|ed)?|chang(?:es|ed)|creat(?:es|ed)|updat(?:es|ed)|modif(?:ies|ied)|wr(?:ites|ote)|implement(?:s|ed)|fix(?:es|ed)|remov(?:es|ed)|delet(?:es|ed)|renam(?:es|ed)|refactor(?:s|ed)|extend(?:s|ed)|mov(?:es|ed))\b/i

const short = (text: string): string => (text.length > 160 ? `${text.slice(0, 159)}…` : text)

/** Words that look like a path: a slash or an extension of letters, and not a web address. */
const pathsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .replace(/\w+:\/\/\S+/g, ' ')
      .split(/[\s"'`“”‘’()[\]{}<>,;]+/)
      .map((word) =>
        word
          .replace(/^\.\//, '')
          .replace(/[:.!?]+$/, '')
          .replace(/:\d+(:\d+)?$/, ''),
      )
      .filter(
        (word) =>
          /^[\w@.+-][\w@.+/-]*\.[a-z][a-z0-9]{0,5}$/i.test(word) &&
          !/^\d|^(e\.g|i\.e|node\.js|vue\.js|next\.js|express\.js|three\.js|d3\.js|asp\.net)$/i.test(word),
      ),
  ),
]

/** A path may be named by its last part only. */
const touches = (paths: readonly string[], named: string): boolean => {
  const path = named.replace(/^\.\//, '').replace(/\/$/, '')
  return paths.some(
    (one) => one === path || one.endsWith(`/${path}`) || one.startsWith(`${path}/`) || path.endsWith(`/${one}`),
  )
}
