/** The ignition of the first firmware. */
export const IGNITER = `#include "igniter.h"

/* Seconds until an ignition counts as failed. */
#define IGNITION_TIMEOUT 600

enum igniter_state igniter_update(struct igniter *igniter, int exhaust_celsius, unsigned now)
{
    if (exhaust_celsius > 60)
        return igniter->state = IGNITER_BURNING;
    if (now - igniter->started_at > IGNITION_TIMEOUT)
        return igniter->state = IGNITER_FAILED;
    return igniter->state;
}
`;
