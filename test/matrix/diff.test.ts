import { runMatrix } from './matrix.ts'

runMatrix('diff')
