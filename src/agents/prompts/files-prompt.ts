import type { Brief, SessionFiles } from '../kind/kind.ts'

// Seed 000: instructions for reporting through files. The agent has no other way, so every line is given literally.

/** The part of a prompt that tells an agent which files to write, and where. */
export const reportByFiles = ({ agentId, task }: Pick<Brief, 'agentId' | 'task'>, files: SessionFiles): string =>
  `## Report
You report through two files. Write these two and no other file in their folder; replace the text in {braces}.
The task board, task-${task.id} among its tasks, is ${files.board}. You may read it; never write it.

Create ${files.progress} when you begin, and append a turn to it every 3 to 5 turns:

# Progress: ${agentId}
## Task: task-${task.id}
## Agent ID: ${agentId}
## Started: {ISO timestamp}

### Turn {number} - {ISO timestamp}
- **Action**: {what you did, on one line}
- **Status**: in_progress
- **Details**: {the result, on one line}
- **Files**: {paths that you changed, separated by commas}

Write ${files.result} once, as your last action, whether you succeeded or not. The status is one word, completed or failed. Check a criterion only when it is met; write (NOT DONE) after the others.

# Result: ${agentId}
## Task: task-${task.id}
## Status: {completed or failed}
## Turns Used: {number}

## Summary
{what you did, or why it cannot be done}

## Files Created/Modified
- \`{path}\` ({NEW or MODIFIED}) - {what it is}

## Acceptance Criteria
${criteria(task.acceptanceCriteria)}

## Issues Encountered
- {an issue, or None}

## Notes
- {what the next agent should know}

Ending without that file counts as a failure.`

const criteria = (texts: readonly string[]): string =>
  texts.length === 0 ? '- [x] {what was asked}' : texts.map((text) => `- [x] ${text}`).join('\n')

/** For an agent that has tools for reporting: the file is an alternative. */
export const resultFileToo = ({ task }: Pick<Brief, 'task'>, files: SessionFiles): string =>
  `The result file of task-${task.id} is ${files.result}. Do not write it when you end the task with a tool.`
