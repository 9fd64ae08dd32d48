/* The tables of weights.h, which change here. */
static signed char tuned[NONE];
#define lead_owners ((const signed char(*)[64][4])(tuned + OWNERS))
#define lead_length ((const signed char(*)[3][5])(tuned + LENGTH))
#define lead_ruff ((const signed char *)(tuned + RUFF))
#define lead_need ((const signed char(*)[3][4])(tuned + NEED))
#define lead_trumps ((const signed char(*)[25])(tuned + TRUMPS))
