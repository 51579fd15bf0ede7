import { runMatrix } from './matrix.ts'

runMatrix('reject')
