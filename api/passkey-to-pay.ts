import { WORKSPACE } from './operations.ts'

/**
 * Operations that need a passkey if the workspace's setting `payoutsRequirePasskey` is on: those
 * that pay, return bank files, or change when a program pays or who is a manager. Otherwise a thief
 * could remove the managers who would stop a new passkey. Stopping a payout or a run needs none.
 * tests/attacks/4-passkeys.test.ts tries every operation.
 */
export const PASSKEY_TO_PAY: readonly string[] = [
  `post ${WORKSPACE}/payouts/run`,
  `post ${WORKSPACE}/payouts/{id}/release`,
  `post ${WORKSPACE}/payouts/{id}/resolve`,
  `post ${WORKSPACE}/payouts/{id}/return`,
  `post ${WORKSPACE}/payout-runs/{id}/approve`,
  `post ${WORKSPACE}/payout-runs/{id}/send`,
  `post ${WORKSPACE}/payout-runs/{id}/resolve`,
  `patch ${WORKSPACE}/payout-runs/{id}`,
  `get ${WORKSPACE}/payout-runs/{id}/export`,
  `post ${WORKSPACE}/payout-runs/{id}/wise-template`,
  `post ${WORKSPACE}/programs`,
  `patch ${WORKSPACE}/programs/{id}`,
  `post ${WORKSPACE}/programs/{id}/cut-over`,
  `post ${WORKSPACE}/members`,
  `patch ${WORKSPACE}/members/{id}`,
  `delete ${WORKSPACE}/members/{id}`,
  `patch ${WORKSPACE}/settings`,
]
