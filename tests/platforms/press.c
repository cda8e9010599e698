/* Presses Ctrl-C or Ctrl-Break for a command once a file has some bytes, and ends with its exit code:
 *   press.exe c|break FILE BYTES PROGRAM ARGUMENT...                                                          */
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

static BOOL WINAPI ignore(DWORD event) { (void)event; return TRUE; }

/* Where the rest of a command line begins after `words` words. */
static WCHAR *after(WCHAR *line, int words) {
    for (; words > 0; words--) {
        BOOL quoted = FALSE;
        for (; *line && (quoted || *line != ' '); line++)
            if (*line == '"') quoted = !quoted;
        while (*line == ' ') line++;
    }
    return line;
}

static LONGLONG size_of(const WCHAR *file) {
    WIN32_FILE_ATTRIBUTE_DATA found;
    if (!GetFileAttributesExW(file, GetFileExInfoStandard, &found)) return -1;
    return ((LONGLONG)found.nFileSizeHigh << 32) | found.nFileSizeLow;
}

/* Everyone at the console hears it. Wine 8 sends no Ctrl-Break: then the process is given the thread that the system would start. */
static BOOL press(DWORD event, HANDLE process) {
    if (GenerateConsoleCtrlEvent(event, 0)) return TRUE;
    FARPROC routine = GetProcAddress(GetModuleHandleA("kernelbase"), "CtrlRoutine");
    if (!routine) return FALSE;
    return CreateRemoteThread(process, NULL, 0, (LPTHREAD_START_ROUTINE)(void *)routine, (void *)(ULONG_PTR)event, 0, NULL) != NULL;
}

int wmain(int count, WCHAR **words) {
    if (count < 5) return 99;
    BOOL is_break = wcscmp(words[1], L"break") == 0;
    STARTUPINFOW startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    SetConsoleCtrlHandler(ignore, TRUE);
    if (!CreateProcessW(NULL, after(GetCommandLineW(), 4), NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process)) {
        fprintf(stderr, "press: the program does not start (%lu)\n", GetLastError());
        return 98;
    }
    while (size_of(words[2]) < _wtoi64(words[3]))
        if (WaitForSingleObject(process.hProcess, 20) != WAIT_TIMEOUT) {
            fprintf(stderr, "press: the program has ended by itself\n");
            return 97;
        }
    if (!press(is_break ? CTRL_BREAK_EVENT : CTRL_C_EVENT, process.hProcess)) {
        fprintf(stderr, "press: the key is not heard (%lu)\n", GetLastError());
        TerminateProcess(process.hProcess, 96);
        return 96;
    }
    DWORD code = 95;
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &code);
    return (int)code;
}
