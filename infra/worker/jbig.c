/*
 * Stands in for libjbig, which is under the GPL and which libtiff, in LibreOffice and leptonica, links to.
 * It compresses and unpacks nothing: libtiff reports such a TIFF as unreadable, and reads all others.
 *
 * Signatures: jbig.h of JBIG-KIT 2.1, as far as libtiff calls it. The state belongs to the caller, who never reads it.
 */

#define JBG_EIMPL 0x80 /* "not implemented", by the interface: decoding has failed. */

int jbg_dec_in(void *state, unsigned char *data, unsigned long length, unsigned long *used) {
    (void)state, (void)data, (void)length;
    if (used) *used = 0;
    return JBG_EIMPL;
}

const char *jbg_strerror(int code) {
    (void)code;
    return "JBIG is not supported";
}

void jbg_dec_init(void *state) { (void)state; }
unsigned char *jbg_dec_getimage(const void *state, int plane) { (void)state, (void)plane; return 0; }
unsigned long jbg_dec_getsize(const void *state) { (void)state; return 0; }
void jbg_dec_free(void *state) { (void)state; }
int jbg_newlen(unsigned char *data, unsigned long length) { (void)data, (void)length; return 0; }

void jbg_enc_init(void *state, unsigned long width, unsigned long height, int planes, unsigned char **image,
                  void (*out)(unsigned char *, unsigned long, void *), void *context) {
    (void)state, (void)width, (void)height, (void)planes, (void)image, (void)out, (void)context;
}
void jbg_enc_out(void *state) { (void)state; }
void jbg_enc_free(void *state) { (void)state; }
