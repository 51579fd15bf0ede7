import { runMatrix } from './matrix.ts'

runMatrix('undo')
