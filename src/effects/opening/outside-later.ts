// Modules that a surface does not need for its first answer: the greater part of this program, loaded at once.

export { takeCensus } from '../archive/inspection/census.ts'
export { carryOut } from '../loops/carry-out.ts'
export { configurationsOf } from './configurations.ts'
export { memoriesOf } from '../memories/memories.ts'
export { project } from '../session-files/projector.ts'
export { radarOf } from '../radar/of-world.ts'
export { readMove } from '../watch/read-move.ts'
export { presentOf, readFile, reviewOf } from '../integration/review.ts'
export { contentsOf } from '../worktrees/contents.ts'
export { takeOverConversation } from '../takeovers/take-over.ts'
export { absenceOf } from '../worktrees/problems.ts'
export { worktreeMeasurer } from '../worktrees/size.ts'
