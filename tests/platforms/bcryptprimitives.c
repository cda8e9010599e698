/* What Rust's standard library asks of bcryptprimitives.dll, for a wine that lacks it (before version 9). */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *buffer, SIZE_T length) { return SystemFunction036(buffer, (ULONG)length); }
