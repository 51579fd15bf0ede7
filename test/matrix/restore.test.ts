import { runMatrix } from './matrix.ts'

runMatrix('restore')
