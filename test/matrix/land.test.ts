import { runMatrix } from './matrix.ts'

runMatrix('land')
