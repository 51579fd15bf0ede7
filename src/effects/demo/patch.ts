import { library } from './library.ts'

/**
 * A shell command that writes a file of the demo with `git apply`: it needs only git and prints nothing. Files of the
 * library are replaced, others are created.
 */
export const writes = (path: string, content: string): string => {
  const before = library[path]
  const head =
    before === undefined ? `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null` : `--- a/${path}`
  const [removed, added] = [linesOf(before ?? ''), linesOf(content)]
  const range = (lines: readonly string[]): string => (lines.length === 0 ? '0,0' : `1,${lines.length}`)
  return `git apply <<'END'
${head}
+++ b/${path}
@@ -${range(removed)} +${range(added)} @@
${[...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join('\n')}
END`
}

/** A shell command that waits, so that a person can watch; sh itself has no builtin for it. */
export const takes = (seconds: number): string => `node -e 'setTimeout(() => {}, ${seconds * 1000})'`

/** A shell command that writes a note about its task. */
export const notes = (note: string): string =>
  `aiswarm task progress "$AISWARM_TASK_ID" --agent "$AISWARM_AGENT_ID" --note '${note}'`

/** A shell command that marks acceptance criteria of its task as met, by their numbers from 1. */
export const ticks = (...numbers: readonly number[]): string =>
  `aiswarm task progress "$AISWARM_TASK_ID" --agent "$AISWARM_AGENT_ID" --note 'checked the acceptance criteria' ${numbers.map((n) => `--met ${n}`).join(' ')}`

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
