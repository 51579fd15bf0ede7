// The examples of seed 000, with values in place of what the template leaves open: the session's id, start, state and totals,
// and the state of the first task.

export const sessionExample = `# Orchestrator Session
## ID: session-20260130-142233
## Started: 2026-01-30T14:22:33Z
## Status: completed

## Agents
| Agent ID | CLI | PID | Status | Task |
|----------|-----|-----|--------|------|
| backend  | gemini | 12345 | running | task-1 |
| frontend | gemini | 12346 | completed | task-2 |
| mobile   | claude | 12347 | running | task-3 |

## Configuration
- MAX_PARALLEL: 3
- MAX_RETRIES: 2
- POLL_INTERVAL: 30s

## Summary (filled on completion)
- Total Tasks: 3
- Completed: 2
- Failed: 1
- Files Created:
  - app/models/user.py
  - app/api/auth.py
- Issues:
  - PostgreSQL refused on 5432, twice
`

export const boardExample = `# Task Board
## Session: session-20260130-142233

### task-1
- **Agent**: backend
- **CLI**: gemini
- **Title**: JWT authentication API
- **Status**: pending
- **Priority**: 1
- **Dependencies**: none
- **Description**: Implement user registration and login with JWT tokens
- **Acceptance Criteria**:
  - POST /api/auth/register with email + password
  - POST /api/auth/login returns access + refresh tokens
  - Password hashing with bcrypt
  - Rate limiting on auth endpoints

### task-2
- **Agent**: frontend
- **CLI**: gemini
- **Title**: Login and registration UI
- **Status**: pending
- **Priority**: 1
- **Dependencies**: none
- **Description**: Build login and registration forms with validation
- **Acceptance Criteria**:
  - Login form with email + password
  - Registration form with validation
  - Error handling for failed auth
  - JWT token storage and auto-refresh

### task-3
- **Agent**: qa
- **CLI**: gemini
- **Title**: Security and performance review
- **Status**: blocked
- **Priority**: 2
- **Dependencies**: task-1, task-2
- **Description**: Review all deliverables for security and performance
- **Acceptance Criteria**:
  - OWASP Top 10 security check
  - Performance benchmarks pass
  - No critical or high severity issues
`

export const progressExample = `# Progress: backend
## Task: task-1
## Agent ID: backend
## Started: {ISO timestamp}

### Turn 1 - {ISO timestamp}
- **Action**: Reading task-board.md and understanding requirements
- **Status**: in_progress
- **Details**: Identified 4 acceptance criteria for JWT auth API

### Turn 5 - {ISO timestamp}
- **Action**: Created user model and auth endpoints
- **Status**: in_progress
- **Details**: Implemented POST /api/auth/register and /api/auth/login
- **Files**: app/models/user.py, app/api/auth.py

### Turn 12 - {ISO timestamp}
- **Action**: Added tests and rate limiting
- **Status**: in_progress
- **Details**: 15 test cases passing, rate limiter configured

### Turn 18 - {ISO timestamp}
- **Action**: All acceptance criteria met
- **Status**: completed
- **Summary**: JWT auth API fully implemented with tests
`

export const resultExample = `# Result: backend
## Task: task-1
## Status: completed
## Turns Used: 18

## Summary
Implemented JWT authentication API with user registration, login,
password hashing (bcrypt), and rate limiting.

## Files Created/Modified
- \`app/models/user.py\` (NEW) - User model with password hashing
- \`app/api/auth.py\` (NEW) - Auth endpoints
- \`app/middleware/rate_limit.py\` (NEW) - Rate limiting middleware
- \`tests/test_auth.py\` (NEW) - 15 test cases
- \`alembic/versions/001_create_users.py\` (NEW) - Migration

## Acceptance Criteria
- [x] POST /api/auth/register with email + password
- [x] POST /api/auth/login returns access + refresh tokens
- [x] Password hashing with bcrypt
- [x] Rate limiting on auth endpoints

## Issues Encountered
- None

## Notes
- Access token expiry: 15 minutes
- Refresh token expiry: 7 days
- Rate limit: 5 requests/minute on login endpoint
`

export const failedExample = `# Result: backend
## Task: task-1
## Status: failed
## Turns Used: 20

## Summary
Unable to complete JWT auth API. Database connection issues prevented testing.

## Files Created/Modified
- \`app/models/user.py\` (NEW) - User model (untested)
- \`app/api/auth.py\` (NEW) - Auth endpoints (untested)

## Acceptance Criteria
- [x] POST /api/auth/register with email + password
- [x] POST /api/auth/login returns access + refresh tokens
- [x] Password hashing with bcrypt
- [ ] Rate limiting on auth endpoints (NOT DONE)

## Issues Encountered
- PostgreSQL connection refused on localhost:5432
- Could not run integration tests
- Rate limiting implementation incomplete due to turn limit

## Notes
- Needs database running to complete testing
- Rate limiting code is written but untested
`
