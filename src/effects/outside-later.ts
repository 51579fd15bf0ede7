// What a surface does not need for its first answer: the greater part of this program, loaded in one piece.

export { takeCensus } from './archive/census.ts'
export { carryOut } from './carry-out.ts'
export { memoriesOf } from './memories/memories.ts'
export { project } from './projector.ts'
export { radarOf } from './radar/of-world.ts'
export { readFile, reviewOf } from './review.ts'
export { contentsOf } from './worktree-contents.ts'
export { absenceOf } from './worktree-problems.ts'
export { worktreeMeasurer } from './worktree-size.ts'
